import { expect, it } from 'vitest'
import { climb } from './ladder.ts'

/** A server that keeps up to its limit, and a load that can offer no more than its own. */
function server(limit: number, loadLimit = Number.POSITIVE_INFINITY) {
  const tried: number[] = []
  const attempt = async (rate: number) => {
    tried.push(rate)
    const offered = Math.min(rate, loadLimit)
    return { dropped: offered > limit ? offered - limit : 0, averageDelayMs: 1, perSecond: Math.min(offered, limit) }
  }
  return { tried, attempt }
}

it('ends between the last step that held and the first that did not', async () => {
  const { tried, attempt } = server(6000)
  // 2000, 3000 and 4500 hold, 6750 does not; halfway 5625 holds, 6188 does not.
  expect(await climb(attempt)).toMatchObject({ dropped: 0, perSecond: 5625 })
  expect(tried).toEqual([2000, 3000, 4500, 6750, 6750, 5625, 6188, 6188])
})

it('one hiccup does not end the climb', async () => {
  const { attempt } = server(6000)
  let hiccups = 1
  const best = await climb(async (rate) =>
    rate === 3000 && hiccups-- > 0 ? { dropped: 9, averageDelayMs: 1, perSecond: 1 } : attempt(rate),
  )
  expect(best?.perSecond).toBe(5625)
})

it('stops where the load cannot offer more', async () => {
  const { attempt } = server(Number.POSITIVE_INFINITY, 9000)
  expect(await climb(attempt)).toMatchObject({ dropped: 0, perSecond: 9000 })
})

it('a server that drops at every rate has no such rate', async () => {
  expect(await climb(server(0).attempt)).toBeUndefined()
})

it('a rate at which answers come later and later is not sustained', async () => {
  const best = await climb(async (rate) => ({ dropped: 0, averageDelayMs: rate > 4000 ? 200 : 1, perSecond: rate }))
  expect(best?.perSecond).toBe(3750)
})
