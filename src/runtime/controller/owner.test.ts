import { describe, expect, test } from 'vitest'
import { configMap, deployment, namespace } from '../kube/kinds.ts'
import type { KubeObject, OwnerReference } from '../kube/object.ts'
import { controllerKeys, controllerReference, isControlledBy } from './owner.ts'

const owner: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', uid: 'first' },
}

function child(...ownerReferences: OwnerReference[]): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'web-config', namespace: 'default', ownerReferences },
  }
}

test('the reference is what garbage collection wants', () => {
  expect(controllerReference(owner)).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: 'web',
    uid: 'first',
    controller: true,
    blockOwnerDeletion: true,
  })
})

test('an owner that was never created cannot be referred to', () => {
  expect(() => controllerReference({ ...owner, metadata: { name: 'web' } })).toThrow('Deployment web has no uid yet')
})

test('an owner of the same name made later is not the owner', () => {
  const object = child(controllerReference(owner))
  expect(isControlledBy(object, owner)).toBe(true)
  expect(isControlledBy(object, { ...owner, metadata: { ...owner.metadata, uid: 'second' } })).toBe(false)
  expect(isControlledBy(child(), { ...owner, metadata: { name: 'web' } })).toBe(false)
})

describe('the way back to the owner', () => {
  const keys = controllerKeys(deployment)

  test('leads to its key, in whatever version the reference was written', () => {
    expect(keys(child({ ...controllerReference(owner), apiVersion: 'apps/v1beta1' }))).toEqual(['default/web'])
  })

  test('ignores owners of other kinds and groups, and owners that do not control', () => {
    const reference = controllerReference(owner)
    expect(keys(child({ ...reference, kind: 'StatefulSet' }))).toEqual([])
    expect(keys(child({ ...reference, apiVersion: 'example.com/v1' }))).toEqual([])
    expect(keys(child({ ...reference, controller: false }))).toEqual([])
    expect(keys(child())).toEqual([])
    expect(controllerKeys(configMap)(child(reference))).toEqual([])
  })

  test('knows owners without a namespace', () => {
    const cluster = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n', uid: 'u' } }
    expect(controllerKeys(namespace)(child(controllerReference(cluster)))).toEqual(['n'])
  })
})
