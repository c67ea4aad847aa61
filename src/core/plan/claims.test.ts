import { expect, test } from 'vitest'
import { kinds } from '../../api/kinds.ts'
import { apiVersion } from '../../api/meta.ts'
import { claimOfAttachment, claimOfInfra, claimsOnVlan } from './claims.ts'

const infra = kinds.Infra.schema.parse({
  apiVersion,
  kind: 'Infra',
  metadata: { name: 'foo', namespace: 'clusters' },
  spec: {
    networkConfig: { cidr: '192.168.100.0/24' },
    hostedClusterRef: { name: 'foo', namespace: 'clusters' },
    infraComponents: {},
  },
})

const owner = (name: string) => ({ apiVersion: 'hypershift.openshift.io/v1beta1', kind: 'HostedCluster', name })

function attached(name: string) {
  const spec = { infraRef: { name: 'foo' }, hostedClusterRef: { name, namespace: 'clusters' } }
  const metadata = { name: `attached-${name}`, namespace: 'clusters' }
  const manifest = { apiVersion, kind: 'InfraClusterAttachment', metadata, spec }
  return claimOfAttachment(kinds.InfraClusterAttachment.schema.parse(manifest))
}

test.each([
  ['are a person’s, and do not count', [], ['bar'], ['bar']],
  ['are of a HostedCluster that is attached too, and are not needed', [owner('foo')], ['foo', 'bar'], ['foo', 'bar']],
  ['are of a HostedCluster that nobody attached, and stay', [owner('foo')], ['bar'], ['foo', 'bar']],
  ['name another HostedCluster than the one that owns it, and do not count', [owner('baz')], ['bar'], ['bar']],
])('beside attached clusters the fields of an Infra %s', (_, ownerReferences, names, expected) => {
  const claims = claimsOnVlan(claimOfInfra(infra, { ownerReferences }), names.map(attached))
  expect(claims.map(({ hostedCluster }) => hostedCluster?.name)).toEqual(expected)
})
