import { expect, test } from 'vitest'
import { defineKind } from '../../runtime/kube/kind.ts'
import type { KubeObject } from '../../runtime/kube/object.ts'
import { createLogger } from '../../runtime/observe/log.ts'
import { FakeClock } from '../../runtime/time/fake-clock.ts'
import { StatusWriter } from './status-writer.ts'

interface Thing extends KubeObject {
  status?: object
}

const kind = defineKind<KubeObject>({ apiVersion: 'test/v1', kind: 'Thing', plural: 'things', namespaced: true })

function scene() {
  const clock = new FakeClock()
  const log = createLogger('silent', { write: () => undefined })
  let live: Thing | undefined = {
    apiVersion: 'test/v1',
    kind: 'Thing',
    metadata: { name: 'example', namespace: 'clusters', uid: 'u1' },
  }
  let mine: object | undefined = { leases: 1 }
  const sent: unknown[] = []
  const world = {
    isUp: true,
    set live(object: Thing | undefined) {
      live = object
    },
    get live(): Thing | undefined {
      return live
    },
    set mine(status: object | undefined) {
      mine = status
    },
  }
  const applyStatus = async (_kind: unknown, intent: KubeObject, uid: string): Promise<never> => {
    const { status }: Thing = intent
    sent.push(status)
    if (!world.isUp || live?.metadata.uid !== uid) throw new Error('no answer')
    live = { ...live, status: { ...live.status, ...status } }
    return live as never
  }
  const writer = new StatusWriter({
    client: { applyStatus },
    kind,
    live: () => live,
    read: () => mine,
    clock,
    random: () => 0,
    log,
  })
  writer.start()
  return { clock, world, writer, sent }
}

test('writes what changed, and nothing while nothing does', async () => {
  const { clock, world, writer, sent } = scene()
  await clock.advance(10_000)
  expect(sent).toEqual([{ leases: 1 }])
  world.mine = { leases: 2 }
  await clock.advance(10_000)
  expect(sent).toEqual([{ leases: 1 }, { leases: 2 }])
  await writer.stop()
})

test('writes at most once a second, then the newest', async () => {
  const { clock, world, writer, sent } = scene()
  await clock.advance(0)
  for (let leases = 2; leases <= 50; leases++) {
    world.mine = { leases }
    writer.look()
    await clock.advance(10)
  }
  expect(sent).toEqual([{ leases: 1 }])
  await clock.advance(1000)
  expect(sent).toEqual([{ leases: 1 }, { leases: 50 }])
  await writer.stop()
})

test('news are written at once when the last write was long ago', async () => {
  const { clock, world, writer, sent } = scene()
  await clock.advance(5_300)
  world.mine = { leases: 2 }
  writer.look()
  await clock.advance(1)
  expect(sent).toHaveLength(2)
  await writer.stop()
})

test("another writer's fields are no reason to write; our own, overwritten, are", async () => {
  const { clock, world, writer, sent } = scene()
  await clock.advance(5_000)
  if (world.live) world.live = { ...world.live, status: { leases: 1, conditions: [] } }
  await clock.advance(5_000)
  expect(sent).toHaveLength(1)
  if (world.live) world.live = { ...world.live, status: { leases: 9, conditions: [] } }
  await clock.advance(5_000)
  expect(sent).toEqual([{ leases: 1 }, { leases: 1 }])
  await writer.stop()
})

test('in the list of conditions, which has several authors, only our own count', async () => {
  const { clock, world, writer, sent } = scene()
  const ours = { type: 'PoolExhausted', status: 'False' }
  world.mine = { conditions: [ours] }
  await clock.advance(5_000)
  expect(sent).toHaveLength(2)
  if (world.live) world.live = { ...world.live, status: { conditions: [{ type: 'Ready', status: 'True' }, ours] } }
  await clock.advance(5_000)
  expect(sent).toHaveLength(2)
  if (world.live) world.live = { ...world.live, status: { conditions: [{ type: 'Ready', status: 'True' }] } }
  await clock.advance(5_000)
  expect(sent).toHaveLength(3)
  await writer.stop()
})

test('an outage is waited out with growing pauses, and ends with the newest', async () => {
  const { clock, world, writer, sent } = scene()
  world.isUp = false
  world.mine = { leases: 2 }
  await clock.advance(600_000)
  expect(sent.length).toBeGreaterThan(5)
  expect(sent.length).toBeLessThan(30)
  world.mine = { leases: 3 }
  world.isUp = true
  await clock.advance(31_000)
  expect(world.live).toMatchObject({ status: { leases: 3 } })
  await writer.stop()
})

test('says nothing while there is nothing to say, or nobody to say it to', async () => {
  const { clock, world, writer, sent } = scene()
  world.mine = undefined
  await clock.advance(3_000)
  const live = world.live
  world.live = undefined
  world.mine = { leases: 1 }
  await clock.advance(3_000)
  expect(sent.length).toBe(1)
  if (live) world.live = { ...live, metadata: { ...live.metadata, uid: 'u2' } }
  await clock.advance(3_000)
  expect(sent.length, 'another object of that name').toBe(2)
  await writer.stop()
})
