import { expect, test } from 'vitest'
import { kinds } from '../../api/kinds.ts'
import type { KubeObject } from '../../runtime/kube/object.ts'
import { readObject, servedPart } from './object.ts'

const dns = {
  apiVersion: 'hostedcluster.densityops.com/v1alpha1',
  kind: 'DNSServer',
  metadata: { name: 'example-dns', namespace: 'clusters', uid: 'u1', generation: 3, resourceVersion: '7', labels: {} },
  spec: {
    networkConfig: {
      serverIP: '192.168.100.3',
      proxyIP: '192.168.100.10',
      secondaryNetworkCIDR: '192.168.100.0/24',
      networkAttachmentName: 'vlan',
    },
    hostedClusterDomain: 'c1.example.com',
  },
  status: { servingGeneration: 2, resolved: { internalProxyIPs: ['172.30.1.1'] } },
}

function read(value: unknown) {
  const unknown: string[] = []
  return { result: readObject(kinds.DNSServer, value, (fields) => unknown.push(...fields)), unknown }
}

test('what is served is the spec and what the manager resolved', () => {
  const object: KubeObject = dns
  expect(servedPart(object)).toEqual({
    apiVersion: dns.apiVersion,
    kind: 'DNSServer',
    metadata: { name: 'example-dns', namespace: 'clusters', uid: 'u1', generation: 3 },
    spec: dns.spec,
    status: { resolved: dns.status.resolved },
  })
  const { status: _, ...young } = dns
  expect(servedPart(young)).not.toHaveProperty('status')
})

test('an object is read with its defaults', () => {
  const { result, unknown } = read(servedPart(dns))
  expect(result).toMatchObject({ ok: true, value: { spec: { networkConfig: { dnsPort: 53 } } } })
  expect(unknown).toEqual([])
})

test('fields of a newer version are left out and told', () => {
  const spec = { ...dns.spec, glamour: 1, staticEntries: [{ hostname: 'a.c1.example.com', ip: '1.2.3.4', weight: 2 }] }
  const { result, unknown } = read({ ...dns, spec })
  expect(unknown.toSorted()).toEqual(['spec.glamour', 'spec.staticEntries[0].weight'])
  expect(result).toMatchObject({
    ok: true,
    value: { spec: { staticEntries: [{ hostname: 'a.c1.example.com', ip: '1.2.3.4' }] } },
  })
})

test.each([
  [
    'an address that is none',
    { ...dns, spec: { ...dns.spec, networkConfig: { ...dns.spec.networkConfig, serverIP: 'x' } } },
  ],
  ['another kind', { ...dns, kind: 'Deployment' }],
])('%s is a problem', (_, value) => {
  expect(read(value).result).toMatchObject({ ok: false, problems: [{ reason: 'InvalidField' }] })
})

test('what is no object at all is a problem', () => {
  for (const value of [7, null, undefined, 'text', []]) {
    expect(read(value).result).toMatchObject({ ok: false, problems: [{ reason: 'WrongKind' }] })
  }
})
