import type { Answer } from '../codec/answer.ts'
import { bytesEqual, copyBytes, sliceBytes } from '../codec/bytes.ts'
import type { Question } from '../codec/question.ts'
import type { AnswerPad } from './answer-pad.ts'
import { ByteRing, type RingOwner } from './byte-ring.ts'

/** How long an answer is good, and what is said along with it. */
export interface Terms {
  readonly storedAtMs: number
  readonly expiresAtMs: number
  /** Until then it is better than nothing (RFC 8767). */
  readonly staleUntilMs: number
  /** RFC 8914, or `extendedError.none`. */
  readonly extendedError: number
}

/** Where the fields of a record are, counted in words, doubles and halves from its place. The ring has word 0. */
const word = { next: 1, hash: 2, tag: 3, uses: 10 } as const
const double = { storedAtMs: 2, expiresAtMs: 3, staleUntilMs: 4 } as const
const half = {
  isBeingRefreshed: 22,
  extendedError: 23,
  responseCode: 24,
  flags: 25,
  answerCount: 26,
  authorityCount: 27,
  additionalCount: 28,
  nameLength: 29,
  bodyLength: 30,
  ttlCount: 31,
} as const
/** Then come the offsets of the TTLs, the name and the body. */
const headLength = 64

/** One bucket for so many bytes, which is about what a short answer takes. */
const bytesPerBucket = 128
/** A bound on the work of one lookup, whatever names strangers choose. */
const longestChain = 16

/**
 * Answers under (name, tag), as bytes. A record is known by its place, 0 is none; a place holds until the next `put`. When
 * there is no room the oldest record goes that was not used since it came, or since it was spared the last time.
 */
export class AnswerStore implements RingOwner {
  readonly #ring: ByteRing
  /** For each bucket the place of its first record. */
  readonly #buckets: Int32Array
  byteCount = 0
  size = 0

  constructor(byteLimit: number) {
    this.#ring = new ByteRing(byteLimit, this)
    this.#buckets = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(byteLimit / bytesPerBucket, 1))))
  }

  /** The record for the first `length` bytes of `name`. */
  find(name: Uint8Array, length: number, hash: number, tag: number): number {
    const { words, halves, bytes } = this.#ring
    let place = this.#buckets[this.#bucketOf(hash)] ?? 0
    while (place !== 0) {
      const at = place >> 2
      const isLike = words[at + word.hash] === hash && words[at + word.tag] === tag
      if (isLike && halves[(place >> 1) + half.nameLength] === length) {
        if (bytesEqual(bytes, this.#nameAt(place), name, 0, length)) return place
      }
      place = words[at + word.next] ?? 0
    }
    return 0
  }

  /** Instead of what was there for this question. Not kept: what is larger than the store, or makes a chain too long. */
  put({ name, hash }: Question, tag: number, answer: Answer, terms: Terms): void {
    const { words, halves, doubles, bytes } = this.#ring
    const old = this.find(name, name.length, hash, tag)
    if (old !== 0) this.#forget(old)
    const { body, ttlOffsets } = answer
    const nameAt = headLength + ttlOffsets.length * 2
    const place = this.#ring.allocate(nameAt + name.length + body.length)
    if (place === 0) return
    if (this.#chainLength(hash) >= longestChain) {
      this.#ring.free(place)
      return
    }
    const at = place >> 2
    words[at + word.hash] = hash
    words[at + word.tag] = tag
    words[at + word.uses] = 0
    doubles[(place >> 3) + double.storedAtMs] = terms.storedAtMs
    doubles[(place >> 3) + double.expiresAtMs] = terms.expiresAtMs
    doubles[(place >> 3) + double.staleUntilMs] = terms.staleUntilMs
    const start = place >> 1
    halves[start + half.isBeingRefreshed] = 0
    halves[start + half.extendedError] = terms.extendedError
    halves[start + half.responseCode] = answer.responseCode
    halves[start + half.flags] = answer.flags
    halves[start + half.answerCount] = answer.answerCount
    halves[start + half.authorityCount] = answer.authorityCount
    halves[start + half.additionalCount] = answer.additionalCount
    halves[start + half.nameLength] = name.length
    halves[start + half.bodyLength] = body.length
    halves[start + half.ttlCount] = ttlOffsets.length
    for (let index = 0; index < ttlOffsets.length; index++) {
      halves[start + headLength / 2 + index] = ttlOffsets[index] ?? 0
    }
    copyBytes(name, 0, name.length, bytes, place + nameAt)
    bytes.set(body, place + nameAt + name.length)
    this.#link(place, hash)
    this.size++
    this.byteCount += this.#ring.lengthOf(place)
  }

  uses(place: number): number {
    return this.#ring.words[(place >> 2) + word.uses] ?? 0
  }

  noteUse(place: number): void {
    this.#ring.words[(place >> 2) + word.uses] = this.uses(place) + 1
  }

  isBeingRefreshed(place: number): boolean {
    return this.#half(place, half.isBeingRefreshed) !== 0
  }

  noteRefresh(place: number): void {
    this.#ring.halves[(place >> 1) + half.isBeingRefreshed] = 1
  }

  storedAtMs(place: number): number {
    return this.#ring.doubles[(place >> 3) + double.storedAtMs] ?? 0
  }

  expiresAtMs(place: number): number {
    return this.#ring.doubles[(place >> 3) + double.expiresAtMs] ?? 0
  }

  staleUntilMs(place: number): number {
    return this.#ring.doubles[(place >> 3) + double.staleUntilMs] ?? 0
  }

  extendedError(place: number): number {
    return (this.#half(place, half.extendedError) << 16) >> 16
  }

  name(place: number): Uint8Array {
    const nameAt = this.#nameAt(place)
    return sliceBytes(this.#ring.bytes, nameAt, nameAt + this.#half(place, half.nameLength))
  }

  /** Into an answer that is read into again and again: a cached answer is sent within the call, and often. */
  readAnswer(place: number, into: AnswerPad): Answer {
    const { bytes } = this.#ring
    into.responseCode = this.#half(place, half.responseCode)
    into.flags = this.#half(place, half.flags)
    into.answerCount = this.#half(place, half.answerCount)
    into.authorityCount = this.#half(place, half.authorityCount)
    into.additionalCount = this.#half(place, half.additionalCount)
    const ttlCount = this.#half(place, half.ttlCount)
    into.ttlOffsets.length = ttlCount
    for (let index = 0; index < ttlCount; index++) {
      into.ttlOffsets[index] = this.#half(place, headLength / 2 + index)
    }
    const bodyAt = this.#nameAt(place) + this.#half(place, half.nameLength)
    into.readBody(bytes, bodyAt, bodyAt + this.#half(place, half.bodyLength))
    return into
  }

  spares(place: number): boolean {
    if (this.uses(place) === 0) return false
    this.#ring.words[(place >> 2) + word.uses] = 0
    return true
  }

  moved(from: number, to: number): void {
    // By now the old place may hold something else.
    this.#redirect(from, to, this.#ring.words[(to >> 2) + word.hash] ?? 0)
  }

  dropped(place: number): void {
    const { words } = this.#ring
    const at = place >> 2
    this.#redirect(place, words[at + word.next] ?? 0, words[at + word.hash] ?? 0)
    this.size--
    this.byteCount -= this.#ring.lengthOf(place)
  }

  #forget(place: number): void {
    this.dropped(place)
    this.#ring.free(place)
  }

  #link(place: number, hash: number): void {
    const bucket = this.#bucketOf(hash)
    this.#ring.words[(place >> 2) + word.next] = this.#buckets[bucket] ?? 0
    this.#buckets[bucket] = place
  }

  /** Makes whoever leads to `place` lead to `other`. */
  #redirect(place: number, other: number, hash: number): void {
    const { words } = this.#ring
    const bucket = this.#bucketOf(hash)
    let at = this.#buckets[bucket] ?? 0
    if (at === place) {
      this.#buckets[bucket] = other
      return
    }
    while (at !== 0) {
      const next = words[(at >> 2) + word.next] ?? 0
      if (next === place) {
        words[(at >> 2) + word.next] = other
        return
      }
      at = next
    }
  }

  #chainLength(hash: number): number {
    const { words } = this.#ring
    let length = 0
    let place = this.#buckets[this.#bucketOf(hash)] ?? 0
    while (place !== 0) {
      length++
      place = words[(place >> 2) + word.next] ?? 0
    }
    return length
  }

  #bucketOf(hash: number): number {
    return hash & (this.#buckets.length - 1)
  }

  #half(place: number, field: number): number {
    return this.#ring.halves[(place >> 1) + field] ?? 0
  }

  #nameAt(place: number): number {
    return place + headLength + this.#half(place, half.ttlCount) * 2
  }
}
