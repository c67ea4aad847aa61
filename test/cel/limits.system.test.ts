import { expect, test } from 'vitest'
import type { KindName } from '../../src/api/kinds.ts'
import { spoiled } from '../../src/api/testing/breaches.ts'
import type { Plain } from '../../src/api/testing/change.ts'
import { describeWithControlPlane } from '../envtest/availability.ts'
import { useInstalledKinds } from './installed.ts'
import { judge } from './objects.ts'

/** As many of everything as the schema allows. What a rule costs grows with the object, and there is a budget for it. */

function list(length: number, entry: (index: number) => Plain): Plain[] {
  return Array.from({ length }, (_, index) => entry(index))
}

const address = (index: number) => `10.0.${index >> 8}.${index & 255}`
const longName = (index: number) => `${'x'.repeat(60)}.${'y'.repeat(60)}.${'z'.repeat(60)}.n${index}.example.com`

const reservations = list(4096, (index) => ({
  mac: `02:00:00:00:${(index >> 8).toString(16).padStart(2, '0')}:${(index & 255).toString(16).padStart(2, '0')}`,
  vmName: `vm-${index}`,
  address: address(index + 256),
  hostname: `host-${index}`,
}))

const backend = (index: number) => ({
  name: `backend-${index}`,
  hostname: longName(index * 100),
  alternateHostnames: list(16, (alternate) => longName(index * 100 + alternate + 1)),
  port: 443,
  targetService: 'service',
  targetNamespace: 'namespace',
  targetPort: 443,
})

const network = { cidr: '10.0.0.0/16', gateway: '10.0.0.1' }
const dhcp = {
  reservations,
  exclusions: list(256, (index) => `10.0.32.${index}-10.0.33.${index}`),
  options: list(64, (index) => ({ code: index + 130, value: 'x'.repeat(200) })),
  clientOptions: { routes: list(32, (index) => ({ to: `172.16.${index}.0/24`, via: address(index + 2) })) },
}

const path = (index: number) => ({
  path: `/${index}`,
  pathType: 'Prefix',
  backend: {
    service: {
      matchLabels: Object.fromEntries(list(16, (label) => label).map((label) => [`label-${label}`, 'value'])),
      matchExpressions: list(16, (label) => ({ key: `key-${label}`, operator: 'In', values: ['a', 'b'] })),
      port: { number: 80 },
    },
  },
})

const largest: readonly (readonly [KindName, Readonly<Record<string, Plain>>])[] = [
  [
    'DHCPServer',
    {
      'spec.networkConfig': { ...network, serverIP: '10.0.0.2' },
      'spec.leaseConfig': { rangeStart: '10.0.64.0', rangeEnd: '10.0.128.0' },
      ...Object.fromEntries(Object.entries(dhcp).map(([name, value]) => [`spec.${name}`, value])),
    },
  ],
  [
    'Infra',
    {
      'spec.networkConfig': { ...network, networkAttachmentDefinition: 'vlan' },
      'spec.infraComponents': {
        dhcp: { serverIP: '10.0.0.2', rangeStart: '10.0.64.0', rangeEnd: '10.0.128.0', ...dhcp },
        proxy: {
          serverIP: '10.0.0.3',
          backends: list(240, backend),
          targets: list(256, (index) => ({ name: `target-${index}`, address: address(index), port: 443 })),
        },
      },
      'spec.appsIngress.address': '10.0.0.4',
    },
  ],
  [
    'DNSServer',
    {
      'spec.staticEntries': list(1024, (index) => ({
        hostname: longName(index),
        ip: 'fd00::1',
        internalIP: '10.0.0.1',
      })),
      'spec.additionalDomains': list(64, longName),
    },
  ],
  ['ProxyServer', { 'spec.backends': list(256, backend) }],
  [
    'VirtualIngress',
    {
      'spec.rules': list(64, (index) => ({ host: `h${index}.example.com`, http: { paths: list(16, path) } })),
      'spec.tls': list(64, (index) => ({ hosts: [longName(index)], secretName: `secret-${index}` })),
    },
  ],
]

describeWithControlPlane('the largest objects', () => {
  const installed = useInstalledKinds()

  test.each(largest)('%s is within the budget of the API server', async (kind, changes) => {
    const object = spoiled(kind, changes)
    expect(judge(kind, object)).toMatchObject({ ok: true })
    const { complaints } = await installed().create(kind, object)
    expect(complaints.map((complaint) => complaint.slice(0, 300))).toEqual([])
  })
})
