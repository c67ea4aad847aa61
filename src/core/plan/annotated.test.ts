import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkResource } from '../../api/check.ts'
import { kinds } from '../../api/kinds.ts'
import { apiVersion } from '../../api/meta.ts'
import { groundworkProblem } from '../appsingress/groundwork.ts'
import { vlanOf } from '../appsingress/request.ts'
import { goodGroundwork } from '../appsingress/testing.ts'
import { readHostedCluster } from '../discover/hostedcluster.ts'
import { parseCidr } from '../net/cidr.ts'
import { formatIpv4 } from '../net/ipv4.ts'
import { askedByAnnotations, type Neighbourhood } from './annotated.ts'
import { chooseServers } from './free-addresses.ts'

const nobody: Neighbourhood = { current: undefined, takenOn: () => [] }

function asked(annotations: Readonly<Record<string, string>>, near: Neighbourhood = nobody) {
  const prefixed = Object.fromEntries(
    Object.entries(annotations).map(([name, value]) => [`hostedcluster.densityops.com/${name}`, value]),
  )
  const metadata = { name: 'foo', namespace: 'clusters', annotations: prefixed }
  return askedByAnnotations(readHostedCluster({ metadata }), near)
}

function infra(annotations: Readonly<Record<string, string>>, near?: Neighbourhood) {
  const result = asked({ network: 'vlan100', cidr: '192.168.100.0/24', ...annotations }, near)
  if (!result.ok || result.value?.kind !== 'Infra') throw new Error(JSON.stringify(result))
  expect(checkResource(kinds.Infra, result.value.infra, 'cluster')).toMatchObject({ ok: true })
  return result.value.infra.spec
}

test('the least that is needed', () => {
  expect(infra({ gateway: '192.168.100.1' })).toEqual({
    networkConfig: {
      cidr: '192.168.100.0/24',
      gateway: '192.168.100.1',
      networkAttachmentDefinition: 'vlan100',
      networkAttachmentNamespace: 'clusters',
    },
    hostedClusterRef: { name: 'foo', namespace: 'clusters' },
    infraComponents: {
      dhcp: { serverIP: '192.168.100.2', rangeStart: '192.168.100.128', rangeEnd: '192.168.100.254' },
      dns: { serverIP: '192.168.100.3' },
      proxy: { serverIP: '192.168.100.4' },
    },
  })
})

test('everything that can be said', () => {
  const spec = infra({
    network: 'default/vlan7',
    'dns-servers': '192.168.100.2, resolv.conf',
    'dhcp-range': '192.168.100.50-192.168.100.99',
    'apps-pool': 'apps:192.168.100.1-192.168.100.5',
  })
  expect(spec.networkConfig).toMatchObject({
    networkAttachmentDefinition: 'vlan7',
    networkAttachmentNamespace: 'default',
    dnsServers: ['192.168.100.2', 'resolv.conf'],
  })
  expect(spec.infraComponents?.dhcp).toMatchObject({
    serverIP: '192.168.100.6',
    rangeStart: '192.168.100.50',
    exclusions: ['192.168.100.1-192.168.100.5'],
  })
  expect(spec.appsIngress).toMatchObject({ enabled: true, metallb: { addressPoolName: 'apps' } })
})

test('applications may have a part of the range, which is not lent then', () => {
  const written = infra({ 'apps-pool': 'apps:192.168.100.240-192.168.100.250' })
  const spec = kinds.Infra.schema.parse({ apiVersion, kind: 'Infra', metadata: { name: 'foo' }, spec: written }).spec
  const { appsIngress } = spec
  if (!appsIngress) throw new Error('it asks for them')
  const request = { owner: '', spec: appsIngress, domain: undefined, vlan: vlanOf({ spec }, []) }
  expect(groundworkProblem(request, goodGroundwork)).toBeUndefined()
})

test('servers stay where they are, and go round what others have', () => {
  const current = { dhcp: '192.168.100.20', dns: '192.168.100.21', proxy: '192.168.100.200' }
  const near = { current, takenOn: () => ['192.168.100.1', '192.168.100.21'] }
  const { dhcp, dns, proxy } = infra({}, near).infraComponents ?? {}
  // The range has taken the place of the proxy, a neighbour that of DNS.
  expect([dhcp?.serverIP, dns?.serverIP, proxy?.serverIP]).toEqual(['192.168.100.20', '192.168.100.2', '192.168.100.3'])
})

test('what another Infra on the network lends is not lent again', () => {
  const near = { current: undefined, takenOn: () => ['192.168.100.200-192.168.100.210'] }
  const vlan = { network: 'vlan100', cidr: '192.168.100.0/24' }
  expect(asked(vlan, near)).toMatchObject({ problems: [{ reason: 'AnnotationInvalid' }] })
  expect(asked({ ...vlan, 'dhcp-range': '192.168.100.100-192.168.100.199' }, near).ok).toBe(true)
})

test('the name of a HostedCluster that no Infra may have is told', () => {
  const annotations = {
    'hostedcluster.densityops.com/network': 'vlan100',
    'hostedcluster.densityops.com/cidr': '192.168.100.0/24',
  }
  const cluster = readHostedCluster({ metadata: { name: 'foo.bar', namespace: 'clusters', annotations } })
  expect(askedByAnnotations(cluster, nobody)).toMatchObject({ problems: [{ field: 'metadata.name' }] })
})

test('an Infra that is named is attached to', () => {
  expect(asked({ infra: 'vlan100' })).toMatchObject({
    value: { attachment: { metadata: { name: 'foo' }, spec: { infraRef: { name: 'vlan100' } } } },
  })
  expect(asked({ infra: 'vlan100', cidr: '10.0.0.0/24' })).toMatchObject({
    problems: [{ reason: 'AnnotationInvalid' }],
  })
})

test('who asks for nothing gets nothing', () => {
  expect(asked({})).toEqual({ ok: true, value: undefined })
  expect(asked({ gateway: '192.168.100.1' })).toEqual({ ok: true, value: undefined })
})

test.each([
  [{ network: 'vlan100' }, 'cidr'],
  [{ cidr: '192.168.100.0/24' }, 'network'],
  [{ network: 'a/b/c', cidr: '192.168.100.0/24' }, 'network'],
  [{ network: 'a', cidr: '192.168.100.7/24' }, 'cidr'],
  [{ network: 'a', cidr: '192.168.100.0/30' }, 'dhcp-range'],
  [{ network: 'a', cidr: '192.168.100.0/24', gateway: 'router' }, 'gateway'],
  [{ network: 'a', cidr: '192.168.100.0/24', 'dhcp-range': 'all' }, 'dhcp-range'],
  [{ network: 'a', cidr: '192.168.100.0/24', 'apps-pool': 'p:x' }, 'apps-pool'],
  [{ network: 'a', cidr: '192.168.100.0/28', 'dhcp-range': '192.168.100.1-192.168.100.13' }, 'cidr'],
  [{ network: 'a', cidr: '192.168.100.0/24', gateway: '192.168.101.1' }, 'gateway'],
  [{ network: 'a', cidr: '192.168.100.0/24', 'dns-servers': '10.0.0.53, nonsense' }, 'dns-servers'],
  [{ network: 'a', cidr: '192.168.100.0/24', 'dhcp-range': '192.168.101.1-192.168.101.9' }, 'dhcp-range'],
  [{ network: 'a', cidr: '192.168.100.0/24', 'apps-pool': 'No Pool' }, 'apps-pool'],
  [{ network: 'A VLAN', cidr: '192.168.100.0/24' }, 'network'],
  [{ infra: 'no name' }, 'infra'],
])('%j is refused for its %s', (annotations, field) => {
  const result = asked(annotations)
  expect(result.ok ? [] : result.problems.map((problem) => problem.field)).toContain(
    `metadata.annotations[hostedcluster.densityops.com/${field}]`,
  )
})

test('chosen addresses are free, distinct, and chosen again', () => {
  const cidr = parseCidr('10.0.0.0/26') ?? { network: 0, prefixLength: 0 }
  const address = fc.integer({ min: 0, max: 63 }).map((offset) => formatIpv4(cidr.network + offset))
  fc.assert(
    fc.property(fc.array(address, { maxLength: 62 }), (taken) => {
      const chosen = chooseServers(cidr, taken, undefined)
      if (!chosen) return expect(new Set(taken).size).toBeGreaterThan(55)
      const addresses = Object.values(chosen)
      expect(new Set(addresses).size).toBe(3)
      expect(addresses.some((one) => taken.includes(one))).toBe(false)
      expect(chooseServers(cidr, taken, chosen)).toEqual(chosen)
    }),
  )
})
