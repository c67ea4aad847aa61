/** A frame as it was captured. */
export interface Frame {
  readonly epochMs: number
  readonly bytes: Buffer
}

const headerBytes = 24
const recordHeaderBytes = 16
const microsecondsMagic = 0xa1b2c3d4

/**
 * Reads a pcap file of a machine of this byte order. Total: a record that was cut off ends the list. Frames stay in the
 * order in which they came, also where the clock says otherwise.
 */
export function readPcap(file: Buffer): Frame[] {
  if (file.length < headerBytes || file.readUInt32LE(0) !== microsecondsMagic) return []
  const frames: Frame[] = []
  for (let at = headerBytes; at + recordHeaderBytes <= file.length; ) {
    const notedMs = file.readUInt32LE(at) * 1000 + file.readUInt32LE(at + 4) / 1000
    const epochMs = Math.max(notedMs, frames.at(-1)?.epochMs ?? 0)
    const length = file.readUInt32LE(at + 8)
    const start = at + recordHeaderBytes
    if (start + length > file.length) break
    frames.push({ epochMs, bytes: file.subarray(start, start + length) })
    at = start + length
  }
  return frames
}
