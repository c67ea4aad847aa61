import { beforeEach, expect, test } from 'vitest'
import { ApiError } from '../kube/error.ts'
import { FakeCluster } from '../kube/fake-cluster.ts'
import { event, type KubeEvent } from '../kube/kinds.ts'
import type { KubeObject } from '../kube/object.ts'
import { createLogger } from '../observe/log.ts'
import { FakeClock } from '../time/fake-clock.ts'
import type { Happening } from './event.ts'
import { EventRecorder } from './recorder.ts'

let clock: FakeClock
let cluster: FakeCluster
let recorder: EventRecorder

beforeEach(() => {
  clock = new FakeClock()
  cluster = new FakeCluster()
  const log = createLogger('silent', { write: () => undefined })
  recorder = new EventRecorder({ client: cluster, clock, log, controller: 'example.com/c', instance: 'i' })
})

function happening(note: string, uid = 'u'): Happening {
  const regarding: KubeObject = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'thing', namespace: 'team', uid } }
  return { regarding, type: 'Normal', reason: 'Tested', action: 'Test', note }
}

/** The events as they are stored: `note xN`. */
function stored(): string[] {
  const names = new Set(cluster.calls.map((call) => call.split(' ')[2] ?? ''))
  return [...names].map((name) => {
    const { note, series } = cluster.peek(event, name) as KubeEvent
    return `${note} x${series?.count ?? 1}`
  })
}

const fails = (status: number) => () => {
  throw new ApiError({ method: 'POST', url: '/', status, reason: 'x', message: 'x', objectName: 'x' })
}

test('what happens again is counted in one event', async () => {
  for (let i = 0; i < 5; i++) {
    recorder.record(happening('a'))
    await clock.advance(1000)
  }
  recorder.record(happening('b'))
  await recorder.flush()
  expect(stored()).toEqual(['a x5', 'b x1'])
})

test('after a long silence it is a new event', async () => {
  recorder.record(happening('a'))
  await clock.advance(600_001)
  recorder.record(happening('a'))
  await recorder.flush()
  expect(stored()).toEqual(['a x1', 'a x1'])
})

test('one object cannot flood the cluster, and does not take from another', async () => {
  for (let i = 0; i < 100; i++) {
    recorder.record(happening(`note ${i}`))
    recorder.record(happening('other', 'v'))
    await clock.advance(1)
  }
  expect(stored().filter((text) => text.startsWith('note'))).toHaveLength(25)
  expect(stored()).toContain('other x25')
  await clock.advance(300_000)
  recorder.record(happening('note 0'))
  recorder.record(happening('other', 'v'))
  await recorder.flush()
  expect(stored()).toContain('other x101')
})

test('an event that expired meanwhile is written anew, with its count', async () => {
  recorder.record(happening('a'))
  await recorder.flush()
  cluster.before = (verb) => (verb === 'mergePatch' ? fails(404)() : undefined)
  await clock.advance(1000)
  recorder.record(happening('a'))
  await recorder.flush()
  expect(stored()).toContain('a x2')
})

test('trouble is tried again a little, then dropped; nobody notices', async () => {
  cluster.before = fails(503)
  recorder.record(happening('a'))
  await clock.advance(1000)
  cluster.before = () => undefined
  await clock.advance(2000)
  expect(stored()).toEqual(['a x1'])
  cluster.before = fails(0)
  recorder.record(happening('b'))
  await clock.advance(60_000)
  cluster.before = fails(403)
  recorder.record(happening('c'))
  await recorder.flush()
  expect(recorder.stats).toEqual({ recorded: 3, written: 1, suppressed: 0, dropped: 2 })
})

test('stopping gives what is recorded a little time, then nothing is taken any more', async () => {
  cluster.before = fails(503)
  recorder.record(happening('a'))
  const stopped = recorder.stop(500)
  await clock.advance(500)
  await stopped
  recorder.record(happening('b'))
  expect(recorder.stats).toMatchObject({ recorded: 1, dropped: 1 })
})

test('memory is bounded, however many different things happen', async () => {
  cluster.before = fails(403)
  for (let i = 0; i < 6000; i++) recorder.record(happening('a', `uid-${i}`))
  await recorder.flush()
  expect(recorder.stats.recorded).toBe(6000)
})
