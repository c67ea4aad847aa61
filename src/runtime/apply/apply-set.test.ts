import { beforeEach, describe, expect, test } from 'vitest'
import { ApiError } from '../kube/error.ts'
import { FakeCluster } from '../kube/fake-cluster.ts'
import { type ConfigMap, configMap } from '../kube/kinds.ts'
import type { KubeObject } from '../kube/object.ts'
import { type ApplyReport, ApplySet } from './apply-set.ts'
import { liveFingerprint } from './fingerprint.ts'
import type { Desired, Existing } from './plan.ts'

let cluster: FakeCluster
let set: ApplySet

beforeEach(() => {
  cluster = new FakeCluster()
  set = new ApplySet(cluster)
})

const isOurs = (object: KubeObject): boolean => object.metadata.labels?.owner === 'us'

function want(name: string, value = '1', owner = 'us'): Desired & { object: ConfigMap } {
  const metadata = { name, namespace: 'n', labels: { owner } }
  return { kind: configMap, object: { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } } }
}

/** What a cache that is up to date would show. */
function observed(...names: string[]): Existing[] {
  return names.flatMap((name) => {
    const object = cluster.peek(configMap, `n/${name}`)
    return object ? [{ kind: configMap, object }] : []
  })
}

function counts(report: ApplyReport): Record<string, number> {
  return Object.fromEntries(Object.entries(report).map(([name, list]) => [name, list.length]))
}

const nothing = { created: 0, applied: 0, unchanged: 0, pruned: 0, foreign: 0 }

test('an object that is to leave with others is made when they do, and only then waited for', async () => {
  const leaving = Promise.withResolvers<void>()
  const desired = [{ ...want('a'), departure: () => leaving.promise }]
  const made = set.apply({ desired, existing: [], isOurs })
  expect(observed('a')).toEqual([])
  leaving.resolve()
  expect(counts(await made).created).toBe(1)
  const again = [{ ...want('a', '2'), departure: () => Promise.reject(new Error('it is there')) }]
  expect(counts(await set.apply({ desired: again, existing: observed('a'), isOurs })).applied).toBe(1)
})

test('what an owner that is gone had is forgotten, and nothing else', async () => {
  const request = { desired: [want('a')], existing: [] as Existing[], isOurs }
  await set.apply({ ...request, of: 'one' })
  await set.apply({ desired: [want('b')], existing: [], isOurs, of: 'other' })
  set.forget('one')
  expect(counts(await set.apply({ ...request, existing: observed('a'), of: 'one' })).applied).toBe(1)
  const rest = await set.apply({ desired: [want('b')], existing: observed('b'), isOurs, of: 'other' })
  expect(counts(rest).unchanged).toBe(1)
})

test('the first write of an object is a create, the next ones are applies', async () => {
  expect(counts(await set.apply({ desired: [want('a')], existing: [], isOurs }))).toEqual({ ...nothing, created: 1 })
  const existing = observed('a')
  expect(counts(await set.apply({ desired: [want('a', '2')], existing, isOurs }))).toEqual({ ...nothing, applied: 1 })
  expect(cluster.calls).toEqual(['applyNew ConfigMap n/a', 'apply ConfigMap n/a'])
})

describe('nothing is sent', () => {
  beforeEach(async () => {
    await set.apply({ desired: [want('a')], existing: [], isOurs })
    cluster.calls.length = 0
  })

  test('while neither the wish nor the object changed', async () => {
    expect(counts(await set.apply({ desired: [want('a')], existing: observed('a'), isOurs }))).toEqual({
      ...nothing,
      unchanged: 1,
    })
    expect(cluster.calls).toEqual([])
  })

  test('while only the status changed', async () => {
    const [{ object }] = observed('a') as [Existing]
    const metadata = { ...object.metadata, resourceVersion: '99', managedFields: [{}] }
    const busy = { kind: configMap, object: { ...object, metadata, status: { seen: 1 } } }
    expect(counts(await set.apply({ desired: [want('a')], existing: [busy], isOurs }))).toMatchObject({ unchanged: 1 })
  })

  test.each([
    ['data', (object: KubeObject) => ({ ...object, data: { value: 'edited' } })],
    [
      'a label',
      (object: KubeObject) => ({ ...object, metadata: { ...object.metadata, labels: { owner: 'us', x: 'y' } } }),
    ],
  ])('but drift in %s is healed', async (_name, edit) => {
    const [{ object }] = observed('a') as [Existing]
    const existing = [{ kind: configMap, object: edit(object) }]
    expect(counts(await set.apply({ desired: [want('a')], existing, isOurs }))).toMatchObject({ applied: 1 })
  })

  test('but after a restart everything is applied once', async () => {
    const report = await new ApplySet(cluster).apply({ desired: [want('a')], existing: observed('a'), isOurs })
    expect(counts(report)).toMatchObject({ applied: 1 })
  })
})

describe('somebody else’s object', () => {
  test('of a name that we want is never touched', async () => {
    await cluster.create(configMap, want('a', 'theirs', 'them').object)
    const report = await set.apply({ desired: [want('a'), want('b')], existing: observed('a'), isOurs })
    expect(counts(report)).toEqual({ ...nothing, foreign: 1, created: 1 })
    expect(cluster.peek(configMap, 'n/a')).toMatchObject({ data: { value: 'theirs' } })
  })

  test('that the cache does not show yet is not touched either', async () => {
    await cluster.create(configMap, want('a', 'theirs', 'them').object)
    expect(counts(await set.apply({ desired: [want('a')], existing: [], isOurs }))).toEqual({ ...nothing, foreign: 1 })
    expect(cluster.peek(configMap, 'n/a')).toMatchObject({ data: { value: 'theirs' } })
  })

  test('that took the name of ours while we looked is not touched, and not deleted', async () => {
    await set.apply({ desired: [want('a'), want('b')], existing: [], isOurs })
    const existing = observed('a', 'b')
    for (const { object } of existing) {
      await cluster.delete(configMap, object.metadata, object.metadata.uid ?? '')
      await cluster.create(configMap, want(object.metadata.name, 'theirs', 'them').object)
    }
    await expect(set.apply({ desired: [want('a', '2')], existing, isOurs })).rejects.toThrow('Conflict')
    await expect(set.apply({ desired: [], existing, isOurs })).rejects.toThrow('Conflict')
    for (const name of ['a', 'b'])
      expect(cluster.peek(configMap, `n/${name}`)).toMatchObject({ data: { value: 'theirs' } })
  })
})

test('ours that the cache does not show yet is applied', async () => {
  await new ApplySet(cluster).apply({ desired: [want('a')], existing: [], isOurs })
  expect(counts(await set.apply({ desired: [want('a', '2')], existing: [], isOurs }))).toEqual({
    ...nothing,
    applied: 1,
  })
  expect(cluster.peek(configMap, 'n/a')).toMatchObject({ data: { value: '2' } })
})

test('what is ours and not wanted any more is pruned, after everything else worked', async () => {
  await set.apply({ desired: [want('a'), want('b')], existing: [], isOurs })
  cluster.before = (verb, key) => {
    if (verb === 'applyNew' && key === 'n/c')
      throw new ApiError({ method: '', url: '', status: 403, reason: '', message: 'no' })
  }
  const existing = observed('a', 'b')
  await expect(set.apply({ desired: [want('c'), want('a', '2')], existing, isOurs })).rejects.toThrow('no')
  expect(cluster.peek(configMap, 'n/b')).toBeDefined()
  expect(cluster.peek(configMap, 'n/a')).toMatchObject({ data: { value: '2' } })
  cluster.before = () => undefined
  const report = await set.apply({ desired: [want('c'), want('a', '2')], existing: observed('a', 'b'), isOurs })
  expect(counts(report)).toEqual({ ...nothing, created: 1, unchanged: 1, pruned: 1 })
  expect(cluster.peek(configMap, 'n/b')).toBeUndefined()
})

test('objects of one step are sent side by side, those of the next when all of it were, also when one failed', async () => {
  const waiting = new Map<string, (error?: Error) => void>()
  cluster.before = (_verb, key) =>
    new Promise((resolve, reject) => waiting.set(key, (error) => (error ? reject(error) : resolve())))
  const desired = [{ ...want('late'), step: 1 }, want('a'), want('b')]
  const applying = set.apply({ desired, existing: [], isOurs })
  const failed = expect(applying).rejects.toThrow('no b')
  expect([...waiting.keys()]).toEqual(['n/a', 'n/b'])
  waiting.get('n/b')?.(new Error('no b'))
  await new Promise(setImmediate)
  expect(waiting.has('n/late')).toBe(false)
  waiting.get('n/a')?.()
  await expect.poll(() => waiting.has('n/late')).toBe(true)
  waiting.get('n/late')?.()
  await failed
  expect(cluster.calls).toEqual(['applyNew ConfigMap n/a', 'applyNew ConfigMap n/late'])
})

test('a fingerprint does not depend on the order of fields', () => {
  const one = {
    apiVersion: 'v1',
    kind: 'X',
    metadata: { name: 'a', labels: { x: '1', y: '2' } },
    spec: { a: 1, b: [1, 2] },
  }
  const other = {
    spec: { b: [1, 2], a: 1 },
    metadata: { labels: { y: '2', x: '1' }, name: 'a' },
    kind: 'X',
    apiVersion: 'v1',
  }
  expect(liveFingerprint(one)).toBe(liveFingerprint(other))
  expect(liveFingerprint({ ...one, spec: { a: 1, b: [2, 1] } } as KubeObject)).not.toBe(liveFingerprint(one))
})
