import { describe, expect, test } from 'vitest'
import { collectionPath, groupOf, objectPath } from './kind.ts'
import { configMap, namespace } from './kinds.ts'

describe('paths', () => {
  test('of collections and objects', () => {
    expect(collectionPath(configMap)).toBe('/api/v1/configmaps')
    expect(collectionPath(configMap, 'a')).toBe('/api/v1/namespaces/a/configmaps')
    expect(objectPath(configMap, { namespace: 'a', name: 'b:c' }, 'status')).toBe(
      '/api/v1/namespaces/a/configmaps/b%3Ac/status',
    )
    expect(objectPath(namespace, { name: 'a' })).toBe('/api/v1/namespaces/a')
  })

  test.each(['', '.', '..', 'a/b', 'a%2fb'])('a name such as "%s" leads nowhere', (name) => {
    expect(() => objectPath(configMap, { namespace: 'a', name })).toThrow('cannot be the name')
    expect(() => objectPath(configMap, { namespace: name, name: 'a' })).toThrow()
  })

  test('a namespace is given where there are namespaces, and only there', () => {
    expect(() => objectPath(configMap, { name: 'a' })).toThrow("ConfigMap 'a' needs a namespace")
    expect(() => objectPath(namespace, { name: 'a', namespace: 'b' })).toThrow('Namespace has no namespaces')
  })
})

test('groups', () => {
  expect([groupOf('v1'), groupOf('apps/v1')]).toEqual(['', 'apps'])
})
