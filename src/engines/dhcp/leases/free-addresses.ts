import { type AddressRange, rangeContains, rangeSize } from '../../../core/net/range.ts'

const bitsPerWord = 32

/**
 * Which addresses of a range are free, as a bitmap with summaries: a bit of level n+1 says whether a word of level n has
 * any bit set. So finding the next free address looks at two words per level, five levels for sixteen million
 * addresses, however full the range is.
 */
export class FreeAddresses {
  readonly #range: AddressRange
  readonly #levels: Uint32Array[] = []
  #count = 0

  /** Nothing is free at first. */
  constructor(range: AddressRange) {
    this.#range = range
    let size = rangeSize(range)
    do {
      size = Math.ceil(size / bitsPerWord)
      this.#levels.push(new Uint32Array(size))
    } while (size > 1)
  }

  get count(): number {
    return this.#count
  }

  has(address: number): boolean {
    return rangeContains(this.#range, address) && isSet(this.#levels[0], address - this.#range.first)
  }

  add(address: number): void {
    if (!rangeContains(this.#range, address) || this.has(address)) return
    this.#count++
    let position = address - this.#range.first
    for (const words of this.#levels) {
      const word = position >>> 5
      const before = words[word] ?? 0
      words[word] = before | (1 << (position & 31))
      if (before !== 0) return
      position = word
    }
  }

  /** Free a whole range, none of which was free before. */
  addRange({ first, last }: AddressRange): void {
    this.#count += last - first + 1
    let [from, to] = [first - this.#range.first, last - this.#range.first]
    for (const words of this.#levels) {
      setBits(words, from, to)
      from >>>= 5
      to >>>= 5
    }
  }

  remove(address: number): void {
    if (!this.has(address)) return
    this.#count--
    let position = address - this.#range.first
    for (const words of this.#levels) {
      const word = position >>> 5
      const after = (words[word] ?? 0) & ~(1 << (position & 31))
      words[word] = after
      if (after !== 0) return
      position = word
    }
  }

  /** The first free address that is not below `address`; undefined if there is none. */
  atOrAfter(address: number): number | undefined {
    let position = Math.max(0, address - this.#range.first)
    for (const [level, words] of this.#levels.entries()) {
      const word = position >>> 5
      const candidates = (words[word] ?? 0) & (-1 << (position & 31))
      if (candidates !== 0) return this.#range.first + this.#descend(level, word * bitsPerWord + lowestBit(candidates))
      position = word + 1
    }
    return undefined
  }

  /** From a set bit of a summary down to the lowest address below it. */
  #descend(level: number, position: number): number {
    let found = position
    for (let below = level - 1; below >= 0; below--) {
      found = found * bitsPerWord + lowestBit(this.#levels[below]?.[found] ?? 0)
    }
    return found
  }
}

function isSet(words: Uint32Array | undefined, position: number): boolean {
  return ((words?.[position >>> 5] ?? 0) & (1 << (position & 31))) !== 0
}

/** Every bit of the words between the two ends, and the ends as far as they reach. */
function setBits(words: Uint32Array, from: number, to: number): void {
  const [firstWord, lastWord] = [from >>> 5, to >>> 5]
  const [fromMask, toMask] = [-1 << (from & 31), -1 >>> (31 - (to & 31))]
  if (firstWord === lastWord) {
    words[firstWord] = (words[firstWord] ?? 0) | (fromMask & toMask)
    return
  }
  words[firstWord] = (words[firstWord] ?? 0) | fromMask
  words.fill(0xffffffff, firstWord + 1, lastWord)
  words[lastWord] = (words[lastWord] ?? 0) | toMask
}

function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word)
}
