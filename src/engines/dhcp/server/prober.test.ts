import { describe, expect, test, vi } from 'vitest'
import { readNeighbours } from '../../neighbours/table.ts'
import { address } from '../testing/packets.ts'
import { Prober } from './prober.ts'

const heading = 'IP address       HW type     Flags       HW address            Mask     Device\n'
const line = (ip: string, flags: string, mac: string) =>
  `${ip.padEnd(17)}0x1         ${flags}         ${mac}     *        net1\n`

describe('the neighbour table', () => {
  test('has those that answered', () => {
    const lines = [line('10.0.0.1', '0x2', '02:00:00:00:00:01'), line('10.0.0.2', '0x0', '00:00:00:00:00:00'), 'x\n\n']
    const text = [heading, ...lines].join('')
    expect([...readNeighbours(text)]).toEqual([['10.0.0.1', '02:00:00:00:00:01']])
    expect(readNeighbours('').size).toBe(0)
  })
})

describe('a prober', () => {
  function probing(table: { text: string }) {
    const knocked: number[] = []
    const neighbours = vi.fn(async () => table.text)
    const prober = new Prober({ knock: (to) => knocked.push(to), neighbours, monotonicMs: () => performance.now() })
    return { prober, knocked, neighbours }
  }

  test('knocks, and tells who answers', async () => {
    const table = { text: heading }
    const { prober, knocked } = probing(table)
    const answer = new Promise((resolve) => prober.ask(address('10.0.0.1'), 10_000, resolve))
    table.text += line('10.0.0.1', '0x2', '02:00:00:00:00:09')
    expect(await answer).toBe('02:00:00:00:00:09')
    expect([knocked, prober.isAsking(address('10.0.0.1'))]).toEqual([[address('10.0.0.1')], false])
  })

  test('gives up when nobody does, also where the table cannot be read', async () => {
    const { prober, neighbours } = probing({ text: heading })
    expect(await new Promise((resolve) => prober.ask(1, 50, resolve))).toBeUndefined()
    neighbours.mockRejectedValue(new Error('EACCES'))
    expect(await new Promise((resolve) => prober.ask(1, 50, resolve))).toBeUndefined()
  })

  test('takes on only so many at once', () => {
    const { prober } = probing({ text: heading })
    const taken = Array.from({ length: 1000 }, (_, index) => prober.ask(index, 60_000, () => undefined))
    expect(taken.filter(Boolean)).toHaveLength(128)
    prober.close()
  })
})
