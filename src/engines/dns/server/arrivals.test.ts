import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Arrivals } from './arrivals.ts'

const from = { address: '192.0.2.1', port: 5353 }

/** Packets are told apart by their first byte. */
function arrivals(room?: number): { answered: number[]; add: (...packets: readonly number[]) => void } {
  const answered: number[] = []
  const queue = new Arrivals((packet) => answered.push(packet[0] ?? -1), room)
  const add = (...packets: readonly number[]) => {
    for (const packet of packets) queue.add(Uint8Array.of(packet), from)
  }
  return { answered, add }
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('datagrams', () => {
  it('are answered when the socket has been read', async () => {
    const { answered, add } = arrivals()
    add(1, 2, 3)
    expect(answered).toEqual([])
    await turn()
    expect(answered).toEqual([1, 2, 3])
  })

  it('of which there are probably more are read on before any is answered', async () => {
    const { answered, add } = arrivals()
    add(...upTo(32))
    await turn()
    expect(answered).toEqual([])
    add(32)
    await turn()
    expect(answered).toEqual(upTo(33))
  })

  it('that wait do not keep the socket from being read', async () => {
    const { answered, add } = arrivals()
    for (let read = 0; read < 4; read++) {
      add(...upTo(32))
      await turn()
    }
    const seen: number[] = []
    while (answered.length < 128) {
      await turn()
      seen.push(answered.length)
    }
    expect(seen).toEqual([64, 128])
  })

  it('for which there is no room are not lost: the first is answered at once', async () => {
    const { answered, add } = arrivals(4)
    add(1, 2, 3, 4)
    expect(answered).toEqual([])
    add(5, 6)
    expect(answered).toEqual([1, 2])
    await turn()
    expect(answered).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('are answered once each and in order, however they come', async () => {
    const reads = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(reads, async (counts) => {
        const { answered, add } = arrivals(64)
        const expected: number[] = []
        for (const count of counts) {
          const packets = upTo(count)
          expected.push(...packets)
          add(...packets)
          await turn()
        }
        await expect.poll(() => answered.length).toBe(expected.length)
        expect(answered).toEqual(expected)
      }),
    )
  })
})
