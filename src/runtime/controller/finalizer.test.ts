import { beforeEach, expect, test } from 'vitest'
import { FakeCluster } from '../kube/fake-cluster.ts'
import { type ConfigMap, configMap } from '../kube/kinds.ts'
import { addFinalizer, isBeingDeleted, removeFinalizer } from './finalizer.ts'

let cluster: FakeCluster
let object: ConfigMap

beforeEach(async () => {
  cluster = new FakeCluster()
  const metadata = { name: 'a', namespace: 'n', finalizers: ['example.com/theirs'] }
  object = await cluster.create(configMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata })
  cluster.calls.length = 0
})

const stored = (): string[] | undefined => cluster.peek(configMap, 'n/a')?.metadata.finalizers

test('ours comes beside those of others, and goes without them', async () => {
  const held = await addFinalizer(cluster, configMap, object, 'example.com/ours')
  expect(stored()).toEqual(['example.com/theirs', 'example.com/ours'])
  await removeFinalizer(cluster, configMap, held, 'example.com/ours')
  expect(stored()).toEqual(['example.com/theirs'])
})

test('nothing is written if it is so already', async () => {
  await addFinalizer(cluster, configMap, object, 'example.com/theirs')
  await removeFinalizer(cluster, configMap, object, 'example.com/ours')
  expect(cluster.calls).toEqual([])
})

test('what somebody wrote in between is not overwritten', async () => {
  await cluster.mergePatch(configMap, object.metadata, { metadata: { finalizers: ['example.com/new'] } })
  await expect(addFinalizer(cluster, configMap, object, 'example.com/ours')).rejects.toThrow('Conflict')
  expect(stored()).toEqual(['example.com/new'])
})

test('an object that is gone needs no finalizer removed', async () => {
  await cluster.delete(configMap, object.metadata, object.metadata.uid ?? '')
  await removeFinalizer(cluster, configMap, object, 'example.com/theirs')
})

test('being deleted', () => {
  expect(isBeingDeleted(object)).toBe(false)
  expect(
    isBeingDeleted({ ...object, metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }),
  ).toBe(true)
})
