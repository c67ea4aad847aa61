import { foldCase, maxNameLength } from './name.ts'

const maxLabels = 127

/**
 * One name, ready to be looked up: folded to lower case, with the hash of each of its suffixes, so that the name and
 * all its ancestors can be found without a copy. An instance is a scratch pad that is read into again and again.
 */
export class WireName {
  readonly bytes = new Uint8Array(maxNameLength)
  length = 0
  labelCount = 0
  /** Where each label starts; the suffix that starts there is the n-th ancestor. */
  readonly labelStarts = new Uint8Array(maxLabels + 1)
  readonly suffixHashes = new Int32Array(maxLabels + 1)
  readonly #seed: number

  /** Names and the tables they are looked up in must share the seed. It is secret, so nobody can aim for one bucket. */
  constructor(seed: number) {
    this.#seed = seed | 0
  }

  /** Reads an uncompressed name; the offset behind it, or -1 for what is no name (also a pointer: none can be right here). */
  read(packet: Uint8Array, start: number, end: number): number {
    let at = start
    let labels = 0
    while (at < end) {
      const length = packet[at] ?? 0
      if (length === 0) {
        this.#take(packet, start, at + 1 - start, labels)
        return at + 1
      }
      if (length > 63 || at + length + 2 - start > maxNameLength) return -1
      this.labelStarts[labels++] = at - start
      at += length + 1
    }
    return -1
  }

  /** Hashes from the root towards the first label, so that each suffix's hash falls out on the way. */
  #take(packet: Uint8Array, start: number, length: number, labels: number): void {
    this.length = length
    this.labelCount = labels
    this.labelStarts[labels] = length - 1
    this.bytes[length - 1] = 0
    let hash = this.#seed
    let at = length - 2
    this.suffixHashes[labels] = hash
    for (let label = labels - 1; label >= 0; label--) {
      const labelStart = this.labelStarts[label] ?? 0
      for (; at >= labelStart; at--) {
        const byte = foldCase(packet[start + at] ?? 0)
        this.bytes[at] = byte
        hash = Math.imul(hash ^ byte, 0x01000193)
      }
      this.suffixHashes[label] = hash ^ (hash >>> 15)
    }
  }

  get hash(): number {
    return this.suffixHashes[0] ?? 0
  }
}
