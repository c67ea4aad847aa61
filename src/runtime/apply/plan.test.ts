import { expect, test } from 'vitest'
import { configMap, deployment } from '../kube/kinds.ts'
import type { KubeObject } from '../kube/object.ts'
import { type Existing, planApply } from './plan.ts'

const isOurs = (object: KubeObject): boolean => object.metadata.labels?.owner === 'us'

function item(name: string, metadata: Partial<KubeObject['metadata']> = {}): Existing {
  return {
    kind: configMap,
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'n', ...metadata } },
  }
}
const ours = (name: string, metadata: object = {}): Existing => item(name, { labels: { owner: 'us' }, ...metadata })
const names = (items: readonly { object: KubeObject }[]): string[] => items.map(({ object }) => object.metadata.name)

test('what is missing is created, what is there updated, what is left over pruned', () => {
  const plan = planApply([item('new'), item('kept')], [ours('kept'), ours('old'), item('theirs')], isOurs)
  expect(names(plan.create)).toEqual(['new'])
  expect(plan.update.map(({ existing }) => existing.metadata.name)).toEqual(['kept'])
  expect(names(plan.prune)).toEqual(['old'])
  expect(plan.foreign).toEqual([])
})

test('somebody else’s object of a name that we want is left alone and told', () => {
  const plan = planApply([item('a')], [item('a')], isOurs)
  expect(plan).toMatchObject({ create: [], update: [], prune: [] })
  expect(names(plan.foreign)).toEqual(['a'])
})

test('what is being deleted is waited for', () => {
  const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z' }
  expect(planApply([item('a')], [ours('a', leaving), ours('b', leaving)], isOurs)).toEqual({
    create: [],
    update: [],
    prune: [],
    foreign: [],
  })
})

test('the same name in another kind or namespace is another object', () => {
  const other: Existing = {
    kind: deployment,
    object: { ...ours('a').object, apiVersion: 'apps/v1', kind: 'Deployment' },
  }
  const plan = planApply([item('a')], [other, ours('a', { namespace: 'm' })], isOurs)
  expect([names(plan.create), names(plan.prune)]).toEqual([['a'], ['a', 'a']])
})

test('the same object in another version is the same object', () => {
  const newer: Existing = { kind: { ...deployment, apiVersion: 'apps/v2' }, object: ours('a').object }
  const plan = planApply([{ kind: deployment, object: item('a').object }], [newer], isOurs)
  expect([plan.create.length, plan.update.length]).toEqual([0, 1])
})
