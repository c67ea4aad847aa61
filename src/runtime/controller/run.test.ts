import { beforeEach, describe, expect, test } from 'vitest'
import { FakeCluster } from '../kube/fake-cluster.ts'
import { lease } from '../kube/kinds.ts'
import { Election } from '../leader/election.ts'
import { createLogger } from '../observe/log.ts'
import { FakeClock } from '../time/fake-clock.ts'
import { Controller } from './controller.ts'
import { type RunOptions, runControllers } from './run.ts'

const log = createLogger('silent', { write: () => undefined })
let clock: FakeClock
let cluster: FakeCluster
let story: string[]
let end: AbortController

beforeEach(() => {
  clock = new FakeClock()
  cluster = new FakeCluster()
  story = []
  end = new AbortController()
})

/** A cache that is complete when told so. */
function cache(kind: string): RunOptions['informers'][number] & { complete(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  let hasSynced = false
  return {
    kind,
    synced: promise,
    lastError: new Error('forbidden'),
    get hasSynced() {
      return hasSynced
    },
    start: () => void story.push(`${kind} started`),
    stop: async () => void story.push(`${kind} stopped`),
    complete() {
      hasSynced = true
      resolve()
    },
  }
}

function controller(): Controller {
  const it = new Controller({
    name: 'c',
    clock,
    log,
    async reconcile(key) {
      story.push(`reconciling ${key}`)
      await new Promise<void>((resolve) => clock.after(100, resolve))
      story.push(`reconciled ${key}`)
      return undefined
    },
  })
  it.trigger('a')
  return it
}

function election(identity: string): Election {
  const ref = { namespace: 'n', name: 'lock' }
  return new Election({ client: cluster, lease: ref, identity, clock, random: () => 0, log })
}

function run(options: Partial<RunOptions>): Promise<void> {
  return runControllers({ informers: [], controllers: [], clock, log, signal: end.signal, ...options })
}

test('nothing is reconciled before every cache is complete', async () => {
  const caches = [cache('A'), cache('B')]
  const running = run({ informers: caches, controllers: [controller()] })
  await clock.advance(5000)
  caches[0]?.complete()
  await clock.advance(5000)
  expect(story).toEqual(['A started', 'B started'])
  caches[1]?.complete()
  await clock.advance(1)
  expect(story.at(-1)).toBe('reconciling a')
  end.abort()
  await clock.advance(1000)
  await running
  expect(story.slice(-3)).toEqual(['reconciled a', 'A stopped', 'B stopped'])
})

test('caches that do not fill are named with the reason', async () => {
  const full = cache('Full')
  full.complete()
  const running = run({ informers: [full, cache('Empty')], controllers: [controller()] })
  const refused = expect(running).rejects.toThrow('Not all objects could be read within 120 s: Empty: forbidden')
  await clock.advance(130_000)
  await refused
  expect(story).toEqual(['Full started', 'Empty started', 'Full stopped', 'Empty stopped'])
})

describe('with an election', () => {
  test('only the leader reconciles; it finishes before it gives the Lease back', async () => {
    const other = election('other')
    other.start()
    await clock.advance(1)
    const running = run({ controllers: [controller()], election: election('me') })
    await clock.advance(30_000)
    expect(story).toEqual([])
    await other.stop()
    await clock.advance(2050)
    expect(story).toEqual(['reconciling a'])
    cluster.before = (verb) => {
      if (verb === 'replace') story.push('lease written')
    }
    end.abort()
    await clock.advance(1000)
    await running
    expect(story).toEqual(['reconciling a', 'reconciled a', 'lease written'])
    expect(cluster.peek(lease, 'n/lock')).toMatchObject({ spec: { holderIdentity: '' } })
  })

  test('losing leadership ends everything with an error', async () => {
    const caches = [cache('A')]
    caches[0]?.complete()
    const running = run({ informers: caches, controllers: [controller()], election: election('me') })
    const lost = expect(running).rejects.toThrow('Leadership lost: the lease was not renewed for')
    await clock.advance(1000)
    clock.pause(20_000)
    await clock.advance(10_000)
    await lost
    expect(story.at(-1)).toBe('A stopped')
  })

  test('it can be told to stop while it waits to be elected', async () => {
    const other = election('other')
    other.start()
    await clock.advance(1)
    const running = run({ controllers: [controller()], election: election('me') })
    await clock.advance(1000)
    end.abort()
    await running
    expect(story).toEqual([])
  })
})
