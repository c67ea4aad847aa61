import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteRing, type RingOwner } from './byte-ring.ts'

/** A ring whose records are filled with a number each, and what should be in it: place → number. */
class Filled implements RingOwner {
  readonly ring: ByteRing
  readonly records = new Map<number, number>()
  readonly popular = new Set<number>()
  #last = 0

  constructor(byteCount: number) {
    this.ring = new ByteRing(byteCount, this)
  }

  add(length: number, isPopular = false): number {
    this.#last = (this.#last % 250) + 1
    const number = this.#last
    const place = this.ring.allocate(length)
    if (place === 0) return 0
    this.ring.bytes.fill(number, place + 4, place + length)
    this.records.set(place, number)
    if (isPopular) this.popular.add(number)
    return place
  }

  remove(place: number): void {
    this.records.delete(place)
    this.ring.free(place)
  }

  spares(place: number): boolean {
    return this.popular.delete(this.records.get(place) ?? 0)
  }

  moved(from: number, to: number): void {
    const number = this.records.get(from) ?? 0
    this.records.delete(from)
    this.records.set(to, number)
  }

  dropped(place: number): void {
    if (!this.records.delete(place)) throw new Error(`nothing was at ${place}`)
  }

  /** Nothing overlaps, nothing leaves the memory, and every record has the bytes that were written to it. */
  check(): void {
    let end = 0
    for (const place of [...this.records.keys()].sort((a, b) => a - b)) {
      expect(place).toBeGreaterThanOrEqual(end)
      end = place + this.ring.lengthOf(place)
      expect(this.ring.bytes[place + 4]).toBe(this.records.get(place))
    }
    expect(end).toBeLessThanOrEqual(this.ring.bytes.length)
  }
}

describe('a ring', () => {
  it('lets go of the oldest', () => {
    const filled = new Filled(8 + 4 * 32)
    const places = [1, 2, 3, 4].map(() => filled.add(32))
    expect(places).toEqual([8, 40, 72, 104])
    expect(filled.add(60)).toBe(8)
    expect([...filled.records.values()]).toEqual([3, 4, 5])
  })

  it('spares the oldest once when its owner wants it', () => {
    const filled = new Filled(8 + 4 * 32)
    filled.add(32, true)
    for (let count = 0; count < 4; count++) filled.add(32)
    expect([...filled.records.values()].sort()).toEqual([1, 3, 4, 5])
    for (let count = 0; count < 3; count++) filled.add(32)
    expect([...filled.records.values()]).not.toContain(1)
    filled.check()
  })

  it('does not take what is longer than itself', () => {
    const filled = new Filled(64)
    expect(filled.add(57)).toBe(0)
    expect(filled.add(56)).toBe(8)
    expect(filled.add(56)).toBe(8)
    expect(filled.records.size).toBe(1)
  })

  it('holds what it should after any series of additions and removals', () => {
    const step = fc.record({
      length: fc.integer({ min: 5, max: 150 }),
      isPopular: fc.boolean(),
      removes: fc.option(fc.nat({ max: 20 }), { freq: 3 }),
    })
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 700 }), fc.array(step, { maxLength: 80 }), (byteCount, steps) => {
        const filled = new Filled(byteCount)
        for (const { length, isPopular, removes } of steps) {
          const place = removes === null ? undefined : [...filled.records.keys()][removes]
          if (place !== undefined) filled.remove(place)
          filled.add(length, isPopular)
          filled.check()
        }
      }),
    )
  })
})
