import { expect, test } from 'vitest'
import { appsDomainOf, clusterDomainOf } from './domains.ts'
import { readHostedCluster } from './hostedcluster.ts'
import { controlPlaneNamespaceOf, resolveHostedCluster } from './reference.ts'

const owner = { apiVersion: 'hypershift.openshift.io/v1beta1', kind: 'HostedCluster', name: 'owner' }
const metadata = { namespace: 'clusters', ownerReferences: [owner] }
const named = { name: 'named', namespace: 'elsewhere' }
const apps = { name: 'apps', namespace: 'clusters' }

test.each([
  ['what it names', { hostedClusterRef: named, appsIngress: { hostedClusterRef: apps } }, named],
  ['whose applications it publishes', { appsIngress: { hostedClusterRef: apps } }, apps],
  ['its owner', {}, { name: 'owner', namespace: 'clusters' }],
])('an Infra is for %s', (_, spec, expected) => {
  expect(resolveHostedCluster({ metadata, spec })).toEqual(expected)
})

test('an owner of another kind or group is none', () => {
  const others = [
    { ...owner, kind: 'NodePool' },
    { ...owner, apiVersion: 'example.com/v1' },
  ]
  expect(resolveHostedCluster({ metadata: { namespace: 'a', ownerReferences: others }, spec: {} })).toBeUndefined()
  expect(resolveHostedCluster({ metadata: {}, spec: {} })).toBeUndefined()
})

test('the control plane is in a namespace without dots', () => {
  expect(controlPlaneNamespaceOf({ name: 'foo.bar', namespace: 'clusters' })).toBe('clusters-foo-bar')
})

function domains(spec: object): (string | undefined)[] {
  const cluster = readHostedCluster({ metadata: { name: 'foo', namespace: 'clusters' }, spec })
  return [clusterDomainOf(cluster), appsDomainOf(cluster)]
}

test.each<[object, string | undefined, string | undefined]>([
  [{ dns: { baseDomain: 'example.com' } }, 'foo.example.com', 'apps.foo.example.com'],
  [{ dns: { baseDomain: 'Example.com', baseDomainPrefix: 'bar' } }, 'bar.example.com', 'apps.bar.example.com'],
  [{ dns: { baseDomain: 'example.com', baseDomainPrefix: '' } }, 'example.com', 'apps.example.com'],
  [
    { dns: { baseDomain: 'example.com' }, configuration: { ingress: { domain: 'in.example.org' } } },
    'foo.example.com',
    'in.example.org',
  ],
  [
    { dns: { baseDomain: 'example.com' }, configuration: { ingress: { domain: 'in.org', appsDomain: 'web.org' } } },
    'foo.example.com',
    'web.org',
  ],
  [{}, undefined, undefined],
  [{ dns: { baseDomain: 'not a name' } }, undefined, undefined],
])('%j', (spec, cluster, appsDomain) => {
  expect(domains(spec)).toEqual([cluster, appsDomain])
})
