import { expect, test } from 'vitest'
import type { LeaseRecord } from '../../engines/dhcp/leases/lease-record.ts'
import { createLogger } from '../../runtime/observe/log.ts'
import { FakeClock } from '../../runtime/time/fake-clock.ts'
import { LeaseWrites } from './lease-writes.ts'

const log = createLogger('silent', { write: () => undefined })
const start = '2026-01-01T00:00:00.000Z'

function lease(host: number, sequence: number, changes: Partial<LeaseRecord> = {}): LeaseRecord {
  const mac = `02:00:00:00:00:${String(host).padStart(2, '0')}`
  return { address: `10.0.0.${host}`, mac, state: 'Active', start, expires: start, sequence, ...changes }
}

type Answer = 'done' | 'again' | 'later' | 'never'

/** Each write takes 10 ms unless it hangs. */
function scene(answer: () => Answer | 'hang' = () => 'done') {
  const clock = new FakeClock()
  const sent: string[] = []
  const writes = new LeaseWrites({
    write: async (record) => {
      sent.push(`${record.address} ${record.sequence} ${record.state}`)
      const result = answer()
      await new Promise<void>((resolve) => {
        if (result !== 'hang') clock.after(10, resolve)
      })
      return result === 'hang' ? 'later' : result
    },
    clock,
    random: () => 0,
    log,
  })
  /** Milliseconds that a promise takes. */
  const takes = async (promise: Promise<void> | undefined): Promise<number | undefined> => {
    if (promise === undefined) return undefined
    const begin = clock.elapsed()
    let end: number | undefined
    void promise.then(() => {
      end = clock.elapsed()
    })
    for (let waited = 0; waited < 1000 && end === undefined; waited += 10) await clock.advance(10)
    return end === undefined ? Number.POSITIVE_INFINITY : end - begin
  }
  return { clock, sent, writes, takes }
}

test('a new holder waits for its object, a renewal does not', async () => {
  const { sent, writes, takes, clock } = scene()
  expect(await takes(writes.put([lease(1, 1)]))).toBe(10)
  expect(writes.put([lease(1, 2, { expires: '2026-01-01T01:00:00.000Z' })])).toBeUndefined()
  await clock.advance(100)
  expect(sent).toEqual(['10.0.0.1 1 Active', '10.0.0.1 2 Active'])
  expect(await takes(writes.put([lease(1, 3, { mac: '02:00:00:00:00:99' })])), 'another client').toBe(10)
})

test('nobody waits longer than a tenth of a second, and after that nobody waits until it works again', async () => {
  let result: Answer | 'hang' = 'hang'
  const { writes, takes, clock } = scene(() => result)
  expect(await takes(writes.put([lease(1, 1)]))).toBe(100)
  expect(writes.put([lease(2, 2)])).toBeUndefined()
  result = 'done'
  expect(writes.put([lease(3, 3)])).toBeUndefined()
  await clock.advance(100)
  expect(await takes(writes.put([lease(4, 4)]))).toBe(10)
})

test('an older state is never written after a newer one, and one address is written by one at a time', async () => {
  const { sent, writes, clock } = scene()
  void writes.put([lease(1, 5)])
  void writes.put([lease(1, 4)])
  void writes.put([lease(1, 6)])
  void writes.put([lease(1, 7, { state: 'Released' })])
  expect(sent).toHaveLength(1)
  await clock.advance(100)
  expect(sent).toEqual(['10.0.0.1 5 Active', '10.0.0.1 7 Released'])
  void writes.put([lease(1, 7, { state: 'Released' })])
  await clock.advance(100)
  expect(sent, 'what is written is not written again').toHaveLength(2)
})

test('an outage holds nobody up, is asked about ever less often, and is caught up with', async () => {
  let isUp = false
  const { sent, writes, takes, clock } = scene(() => (isUp ? 'done' : 'later'))
  expect(await takes(writes.put([lease(1, 1)])), 'the first failure tells').toBe(10)
  for (let host = 2; host <= 60; host++) expect(writes.put([lease(host, host)])).toBeUndefined()
  await clock.advance(300_000)
  expect(sent.length).toBeLessThan(100)
  expect(writes.pending).toBe(60)
  expect(writes.lagMs()).toBeGreaterThan(300_000)
  isUp = true
  await clock.advance(31_000)
  expect([writes.pending, writes.lagMs(), writes.stats.done]).toEqual([0, 0, 60])
})

test('the rate is bounded, and new holders go before renewals', async () => {
  const { sent, writes, clock } = scene()
  const old = Array.from({ length: 250 }, (_, index) => lease(index, index + 1))
  for (const record of old) writes.isWritten(record)
  void writes.put(old.map((record) => ({ ...record, sequence: record.sequence + 1000 })))
  await clock.advance(100)
  void writes.put([lease(251, 9000)])
  await clock.advance(50)
  expect(sent.indexOf('10.0.0.251 9000 Active')).toBeLessThan(60)
  const soFar = sent.length
  await clock.advance(1000)
  expect(sent.length - soFar).toBeLessThan(170)
  await clock.advance(5000)
  expect(writes.pending).toBe(0)
})

test('what is refused for good is not tried again until it changes', async () => {
  const { sent, writes, takes } = scene(() => 'never')
  expect(await takes(writes.put([lease(1, 1)]))).toBe(10)
  expect(writes.pending).toBe(0)
  expect(sent).toHaveLength(1)
})

test('what is left at the end is written if that is quick', async () => {
  const { sent, writes, clock } = scene()
  void writes.put(Array.from({ length: 20 }, (_, index) => lease(index, index + 1)))
  const stopped = writes.stop(5000)
  await clock.advance(1000)
  await stopped
  expect(sent).toHaveLength(20)
  expect(writes.put([lease(30, 30)])).toBeUndefined()
})
