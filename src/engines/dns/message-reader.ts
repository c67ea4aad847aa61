import { concatBytes, readUint16 } from './codec/bytes.ts'

/** Cuts a stream into messages with two bytes of length before each (RFC 1035 section 4.2.2). Keeps one message at most. */
export class MessageReader {
  #pieces: Uint8Array[] = []
  #heldBytes = 0

  /** The messages that are whole with this chunk; they are parts of it or of a fresh copy. */
  read(chunk: Uint8Array): Uint8Array[] {
    this.#pieces.push(chunk)
    this.#heldBytes += chunk.length
    if (this.#heldBytes < 2 || this.#heldBytes < this.#neededBytes()) return []
    const bytes = this.#pieces.length === 1 ? chunk : concatBytes(this.#pieces)
    const messages: Uint8Array[] = []
    let at = 0
    while (at + 2 <= bytes.length) {
      const end = at + 2 + readUint16(bytes, at)
      if (end > bytes.length) break
      messages.push(bytes.subarray(at + 2, end))
      at = end
    }
    this.#pieces = at < bytes.length ? [bytes.subarray(at)] : []
    this.#heldBytes = bytes.length - at
    return messages
  }

  /** The length prefix may itself be in two pieces. */
  #neededBytes(): number {
    const [first, second] = this.#pieces
    const high = first?.[0] ?? 0
    const low = (first !== undefined && first.length > 1 ? first[1] : second?.[0]) ?? 0
    return 2 + high * 256 + low
  }
}
