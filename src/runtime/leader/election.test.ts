import { beforeEach, describe, expect, test } from 'vitest'
import { ApiError } from '../kube/error.ts'
import { FakeCluster } from '../kube/fake-cluster.ts'
import { FenceClosed } from '../kube/fence.ts'
import { lease } from '../kube/kinds.ts'
import { createLogger } from '../observe/log.ts'
import { FakeClock } from '../time/fake-clock.ts'
import { Election } from './election.ts'

const log = createLogger('silent', { write: () => undefined })
let clock: FakeClock
let cluster: FakeCluster

beforeEach(() => {
  clock = new FakeClock()
  cluster = new FakeCluster()
})

interface Candidate {
  readonly election: Election
  /** `elected`, `lost: why`. */
  readonly story: string[]
}

function candidate(identity: string, client: FakeCluster = cluster, itsClock: FakeClock = clock): Candidate {
  const ref = { namespace: 'default', name: 'lock' }
  const election = new Election({ client, lease: ref, identity, clock: itsClock, random: () => 0, log })
  const story: string[] = []
  election.elected.then(() => story.push('elected')).catch(() => undefined)
  election.lost.then((why) => story.push(`lost: ${why.message}`)).catch(() => undefined)
  election.start()
  return { election, story }
}

const holder = (): string | undefined => {
  const object = cluster.peek(lease, 'default/lock')
  return object && 'spec' in object ? Object(object.spec).holderIdentity : undefined
}

const unreachable = (): never => {
  throw new ApiError({ method: 'PUT', url: '/', status: 0, reason: 'Unreachable', message: 'refused' })
}

test('one is elected, the others wait; a renewal every two seconds keeps it', async () => {
  const one = candidate('one')
  await clock.advance(1)
  const two = candidate('two')
  await clock.advance(600_000)
  expect([one.story, two.story, holder()]).toEqual([['elected'], [], 'one'])
  expect([one.election.isLeader, two.election.isLeader]).toEqual([true, false])
  expect(cluster.calls.filter((call) => call.startsWith('replace'))).toHaveLength(300)
  expect(() => two.election.fence()).toThrow(FenceClosed)
})

test('two who begin together: exactly one wins', async () => {
  const both = [candidate('one'), candidate('two')]
  await clock.advance(10)
  expect(both.map(({ election }) => election.isLeader).sort()).toEqual([false, true])
})

test('a Lease that is given back is taken at the next look', async () => {
  const one = candidate('one')
  await clock.advance(1)
  const two = candidate('two')
  await clock.advance(1000)
  await one.election.stop()
  expect([holder(), one.election.isLeader]).toEqual(['', false])
  await clock.advance(2000)
  expect([two.story, holder(), one.story]).toEqual([['elected'], 'two', ['elected']])
})

test('a leader that died is followed after the lease has run out, not before', async () => {
  const dead = new FakeClock()
  candidate('one', cluster, dead)
  await dead.advance(0)
  const two = candidate('two')
  await clock.advance(14_000)
  expect(two.story).toEqual([])
  await clock.advance(4000)
  expect(two.story).toEqual(['elected'])
})

describe('a leader', () => {
  test('that cannot renew writes nothing from ten seconds on, five before anybody else may', async () => {
    const one = candidate('one')
    await clock.advance(0)
    cluster.before = (verb) => (verb === 'get' ? undefined : unreachable())
    await clock.advance(9_999)
    expect(one.election.isLeader).toBe(true)
    await clock.advance(1)
    expect(one.election.isLeader).toBe(false)
    await clock.advance(2000)
    expect(one.story).toEqual(['elected', 'lost: the lease was not renewed for 10 s'])
  })

  test('survives a short outage', async () => {
    const one = candidate('one')
    await clock.advance(0)
    cluster.before = unreachable
    await clock.advance(7000)
    cluster.before = () => undefined
    await clock.advance(60_000)
    expect(one.story).toEqual(['elected'])
  })

  test('whose answer was lost finds that it still is', async () => {
    const one = candidate('one')
    await clock.advance(0)
    let isFirst = true
    cluster.before = async (verb) => {
      if (verb !== 'replace' || !isFirst) return
      isFirst = false
      const current = cluster.peek(lease, 'default/lock')
      // It is carried out all the same; only the answer does not come.
      if (current) await cluster.replace(lease, current)
      unreachable()
    }
    await clock.advance(60_000)
    expect([one.story, one.election.isLeader]).toEqual([['elected'], true])
  })

  test('that was deposed knows it with the next renewal, and never tries again', async () => {
    const one = candidate('one')
    await clock.advance(0)
    const stolen = cluster.peek(lease, 'default/lock')
    if (stolen) await cluster.replace(lease, { ...stolen, spec: { holderIdentity: 'thief' } })
    await clock.advance(60_000)
    expect([one.story, holder()]).toEqual([['elected', 'lost: thief holds the lease now'], 'thief'])
  })

  test('that was paused writes nothing when it wakes, not even the Lease', async () => {
    const one = candidate('one')
    await clock.advance(1000)
    const written = cluster.calls.length
    clock.pause(11_000)
    expect(() => one.election.fence()).toThrow('one is not the leader (any more)')
    await clock.advance(10_000)
    expect(one.story[1]).toContain('lost: the lease was not renewed for')
    expect(cluster.calls.slice(written)).toEqual([])
  })

  test('that was paused in the middle of a renewal does not send it', async () => {
    const one = candidate('one')
    await clock.advance(1000)
    const before = cluster.peek(lease, 'default/lock')
    cluster.before = (verb) => {
      if (verb === 'replace') clock.pause(11_000)
    }
    await clock.advance(5000)
    await clock.advance(5000)
    expect(one.story).toHaveLength(2)
    expect(cluster.peek(lease, 'default/lock')).toEqual(before)
  })

  test('on a machine that slept: the wall clock tells, even if the other stood still', async () => {
    const one = candidate('one')
    await clock.advance(1000)
    clock.setWallClock(clock.now() + 3_600_000)
    expect(one.election.isLeader).toBe(false)
  })

  test('is not impressed by a wall clock that is set back', async () => {
    const one = candidate('one')
    await clock.advance(1000)
    clock.setWallClock(clock.now() - 3_600_000)
    clock.pause(11_000)
    expect(one.election.isLeader).toBe(false)
  })
})

test('a candidate that is stopped before it was elected leaves the Lease alone', async () => {
  candidate('one')
  await clock.advance(1)
  const two = candidate('two')
  await clock.advance(1)
  await two.election.stop()
  expect(holder()).toBe('one')
})

test('trouble while waiting is waited out', async () => {
  cluster.before = unreachable
  const one = candidate('one')
  await clock.advance(10_000)
  expect(one.story).toEqual([])
  cluster.before = () => undefined
  await clock.advance(2000)
  expect(one.story).toEqual(['elected'])
})
