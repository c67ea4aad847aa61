/** Whoever has records in a ring decides what becomes of the oldest one when room is needed, and learns of it. */
export interface RingOwner {
  /** True: the record has earned to stay for another round. */
  spares(place: number): boolean
  moved(from: number, to: number): void
  dropped(place: number): void
}

/** Records start at multiples of this. */
const alignment = 8
/** So that no record is at place 0, which can then stand for "none". */
const firstPlace = alignment
/** So many of the oldest are spared for one new record; beyond that they go, or one record could cost a whole round. */
const mostSpared = 16

/**
 * Records of any length, one behind the other in one piece of memory; when it is full the oldest give way. Nothing in it
 * is an object, so neither a hundred thousand records nor their coming and going are work for the garbage collector.
 * Memory that was never written to is not taken from the system.
 *
 * The first word of a record is the ring's: its length, negative when it is not needed any more.
 */
export class ByteRing {
  readonly bytes: Uint8Array
  readonly words: Int32Array
  readonly halves: Uint16Array
  readonly doubles: Float64Array
  readonly #owner: RingOwner
  readonly #end: number
  #head = firstPlace
  #tail = firstPlace
  /** From tail to head, also what is not needed any more. */
  #used = 0

  constructor(byteCount: number, owner: RingOwner) {
    const memory = new ArrayBuffer(byteCount - (byteCount % alignment))
    this.bytes = new Uint8Array(memory)
    this.words = new Int32Array(memory)
    this.halves = new Uint16Array(memory)
    this.doubles = new Float64Array(memory)
    this.#end = memory.byteLength
    this.#owner = owner
  }

  /** The place of a new record, whose bytes are whatever was there before; 0: it is longer than the ring. */
  allocate(length: number): number {
    const rounded = Math.ceil(length / alignment) * alignment
    if (firstPlace + rounded > this.#end) return 0
    let spared = 0
    while (!this.#findRoom(rounded)) {
      const oldest = this.#tail
      const oldLength = this.words[oldest >> 2] ?? 0
      this.#passOldest(Math.abs(oldLength))
      if (oldLength < 0) continue
      if (spared < mostSpared && this.#owner.spares(oldest)) {
        spared++
        this.#moveToHead(oldest, oldLength)
      } else this.#owner.dropped(oldest)
    }
    return this.#put(rounded)
  }

  /** The record is not needed any more. Its room is taken when its turn comes. */
  free(place: number): void {
    this.words[place >> 2] = -(this.words[place >> 2] ?? 0)
  }

  lengthOf(place: number): number {
    return this.words[place >> 2] ?? 0
  }

  /** Is there room in one piece at the head? A rest at the end of the memory that is too short is filled up. */
  #findRoom(length: number): boolean {
    if (this.#used === 0) {
      this.#head = firstPlace
      this.#tail = firstPlace
    }
    if (!this.#isWrapped && this.#head + length > this.#end) {
      if (this.#head < this.#end) this.free(this.#put(this.#end - this.#head))
      this.#head = firstPlace
    }
    return this.#head + length <= (this.#isWrapped ? this.#tail : this.#end)
  }

  get #isWrapped(): boolean {
    return this.#used > 0 && this.#head <= this.#tail
  }

  #put(length: number): number {
    const place = this.#head
    this.words[place >> 2] = length
    this.#head += length
    this.#used += length
    return place
  }

  #passOldest(length: number): void {
    this.#used -= length
    this.#tail += length
    if (this.#tail === this.#end) this.#tail = firstPlace
  }

  /** There is room, as it has just left as much. */
  #moveToHead(from: number, length: number): void {
    this.#findRoom(length)
    const to = this.#head
    this.bytes.copyWithin(to, from, from + length)
    this.#put(length)
    this.#owner.moved(from, to)
  }
}
