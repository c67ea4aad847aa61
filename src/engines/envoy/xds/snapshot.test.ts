import { expect, it } from 'vitest'
import { envoyResourcesOf } from '../../../core/proxy/envoy/resources.ts'
import { backend, proxyServer } from '../../../core/proxy/testing.ts'
import { snapshotOf } from './snapshot.ts'

function snapshot(...names: string[]) {
  const proxy = proxyServer({ backends: names.map((name) => backend(name)) })
  return snapshotOf(envoyResourcesOf(proxy, { podAddresses: [], endpoints: 'discovered' }))
}

it('has the same versions for the same content, whenever it is made', () => {
  const versions = (...names: string[]) => [...snapshot(...names).clusters.values()].map(({ version }) => version)
  expect(versions('a', 'b')).toEqual(versions('a', 'b'))
  expect(versions('a', 'b')[0]).toBe(versions('a', 'c')[0])
  expect(new Set(versions('a', 'b')).size).toBe(2)
})

it('encodes every message, and takes over what did not change', () => {
  const before = snapshot('a', 'b')
  for (const kind of [before.clusters, before.endpoints, before.listeners]) {
    for (const { bytes } of kind.values()) expect(bytes.length).toBeGreaterThan(0)
  }
  const proxy = proxyServer({ backends: [backend('a'), backend('b', { maxConnections: 7 })] })
  const after = snapshotOf(envoyResourcesOf(proxy, { podAddresses: [], endpoints: 'discovered' }), before)
  expect(after.clusters.get('a')).toBe(before.clusters.get('a'))
  expect(after.clusters.get('b')?.version).not.toBe(before.clusters.get('b')?.version)
})
