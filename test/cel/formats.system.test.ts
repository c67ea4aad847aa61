import { describe, expect, test } from 'vitest'
import type { KindName } from '../../src/api/kinds.ts'
import { spoiled } from '../../src/api/testing/breaches.ts'
import type { Plain } from '../../src/api/testing/change.ts'
import { describeWithControlPlane } from '../envtest/availability.ts'
import { useInstalledKinds } from './installed.ts'

/** What is tried, why it matters, and what the API server must say; `ok` where it must take it. */
type Row = readonly [kind: KindName, field: string, value: Plain | undefined, why: string, says: string]

const ok = 'ok'
const label63 = 'a'.repeat(63)

const rows: readonly Row[] = [
  // Names of objects become names of Services and values of labels.
  ['Infra', 'metadata.name', 'a'.repeat(48), 'the longest name', ok],
  ['Infra', 'metadata.name', 'a'.repeat(49), 'one more is too long', 'at most 48 characters'],
  ['Infra', 'metadata.name', 'c1.example', 'a dot is no part of a label', 'no dots'],
  ['DHCPServer', 'metadata.name', 'a'.repeat(54), 'an Infra of 48 and -dhcp fit', ok],
  ['DHCPServer', 'metadata.name', 'a'.repeat(55), 'nothing longer', 'at most 54 characters'],
  [
    'VirtualIngress',
    'metadata.name',
    `${label63}.${label63}.${label63}.${'a'.repeat(52)}`,
    '-generated must fit',
    'at most 243',
  ],
  ['DHCPLease', 'metadata.name', `${'a'.repeat(54)}-192-168-100-100`, 'the longest server and address', ok],
  // Addresses and networks.
  ['Infra', 'spec.networkConfig.gateway', '192.168.100.300', 'no such octet', 'must be an IPv4 address such as'],
  [
    'Infra',
    'spec.networkConfig.gateway',
    '192.168.100.01',
    'octal to some, decimal to others',
    'must be an IPv4 address',
  ],
  ['Infra', 'spec.networkConfig.gateway', 'fd00::1', 'the VLAN is IPv4', 'must be an IPv4 address'],
  [
    'Infra',
    'spec.networkConfig.cidr',
    '192.168.100.7/24',
    'one network has one spelling',
    'all bits after the prefix zero',
  ],
  ['Infra', 'spec.networkConfig.cidr', 'fd00::/64', 'the VLAN is IPv4', 'must be an IPv4 network'],
  ['Infra', 'spec.networkConfig.cidr', '192.168.100.0', 'no prefix length', 'must be an IPv4 network'],
  ['Infra', 'spec.infraComponents.dhcp.serverIP', '192.168.100.2/24', 'the original wrote it so', ok],
  ['Infra', 'spec.infraComponents.dhcp.serverIP', '192.168.100.2/33', 'no such length', 'must be an IPv4 address'],
  ['DNSServer', 'spec.staticEntries', [{ hostname: 'a.example.com', ip: 'fd00::1' }], 'AAAA records', ok],
  [
    'DNSServer',
    'spec.staticEntries',
    [{ hostname: 'a.example.com', ip: '::ffff:1.2.3.4' }],
    'IPv4 in disguise',
    'must be an IPv4 or IPv6 address',
  ],
  ['DHCPServer', 'spec.exclusions', ['192.168.100.150', '192.168.100.160 - 192.168.100.170'], 'both forms', ok],
  ['DHCPServer', 'spec.exclusions', ['192.168.100.170-192.168.100.160'], 'backwards', 'with the lower one first'],
  [
    'Infra',
    'spec.appsIngress.metallb',
    { ipAddressPoolRange: '10.0.0.1-10.0.0.9, 10.1.0.0/28' },
    'as MetalLB has them',
    ok,
  ],
  [
    'Infra',
    'spec.appsIngress.metallb',
    { ipAddressPoolRange: ['10.0.0.0/28'] },
    'a list is no text',
    'must be of type string',
  ],
  [
    'Infra',
    'spec.appsIngress.metallb',
    { ipAddressPoolRange: '10.0.0.0/28,' },
    'a comma too many',
    'separated by commas',
  ],
  ['DHCPServer', 'spec.reservations', [{ mac: '02-00-00-00-00-0A' }], 'as Windows writes it', ok],
  ['DHCPServer', 'spec.reservations', [{ mac: '02:00-00:00-00:01' }], 'half and half', 'must be a MAC address such as'],
  // Names.
  ['ProxyServer', 'spec.backends[0].hostname', '*.apps.c1.example.com', 'a wildcard', ok],
  ['ProxyServer', 'spec.backends[0].hostname', '*.*.example.com', 'one star only', 'with a leading star'],
  ['ProxyServer', 'spec.backends[0].hostname', 'API.example.com', 'clients send lower case', 'in lower case'],
  [
    'ProxyServer',
    'spec.backends[0].targetAddress',
    '10.0.0.400',
    'a mistyped address is no name',
    'must be an address such as',
  ],
  ['Infra', 'spec.infraComponents.dns.baseDomain', 'example..com', 'an empty label', 'must be a DNS name such as'],
  ['Infra', 'spec.infraComponents.dns.clusterName', 'c1.prod', 'one label', 'no dots'],
  ['DNSServer', 'spec.hostedClusterDomain', 'C1.Example.com.', 'spelling does not matter to DNS', ok],
  // Where DNS forwards to.
  [
    'Infra',
    'spec.networkConfig.dnsServers',
    ['10.0.0.53', '10.0.0.53:5353', '[fd00::53]:53', 'resolv.conf', 'tls://9.9.9.9#dns.quad9.net'],
    'every form',
    ok,
  ],
  [
    'Infra',
    'spec.networkConfig.dnsServers',
    ['10.0.0.53:65536'],
    'no such port',
    'must be the address of a DNS server',
  ],
  [
    'Infra',
    'spec.networkConfig.dnsServers',
    ['tls://dns.quad9.net'],
    'TLS needs address and name',
    'must be the address of a DNS server',
  ],
  // Durations and numbers.
  ['Infra', 'spec.infraComponents.dhcp.leaseTime', '1h30m', 'as Go writes it', ok],
  ['Infra', 'spec.infraComponents.dhcp.leaseTime', '1d', 'Go knows no days', 'must be a duration from 1s to 87600h'],
  ['Infra', 'spec.infraComponents.dhcp.leaseTime', '500ms', 'shorter than DHCP can say', 'must be a duration from 1s'],
  [
    'Infra',
    'spec.infraComponents.dhcp.leaseTime',
    '99999999999999h',
    'more than anybody can count',
    'must be a duration',
  ],
  ['ProxyServer', 'spec.port', 65_536, 'no such port', 'should be less than or equal to 65535'],
  ['ProxyServer', 'spec.port', '443', 'a number is no text', 'must be of type integer'],
  ['DHCPServer', 'spec.options', [{ code: 255, value: '' }], '255 ends the options', 'less than or equal to 254'],
  // Choices.
  ['ProxyServer', 'spec.backends[0].protocol', 'TLS', 'the brief has it', ok],
  [
    'ProxyServer',
    'spec.backends[0].protocol',
    'UDP',
    'it has no server name',
    'supported values: "TCP", "TLS", "HTTP"',
  ],
  ['Infra', 'spec.networkConfig.gateway', undefined, 'a VLAN without router', ok],
  ['Infra', 'spec.networkConfig.cidr', undefined, 'nothing works without', 'Required value'],
  [
    'Infra',
    'spec.networkConfig.gatway',
    '192.168.100.1',
    'a typing error',
    'unknown field "spec.networkConfig.gatway"',
  ],
  // VirtualIngress.
  ['VirtualIngress', 'spec.rules[0].http.paths[0].path', 'relay', 'not absolute', 'must be a path that begins with /'],
  [
    'VirtualIngress',
    'spec.rules[0].http.paths[0].backend.service.matchLabels',
    {},
    'would match all',
    'should have at least 1 properties',
  ],
  [
    'VirtualIngress',
    'spec.rules[0].http.paths[0].backend.service.matchLabel',
    { a: 'b' },
    'a typing error',
    'unknown field',
  ],
  ['InfraClusterAttachment', 'spec.hostedClusterRef', undefined, 'attaches what?', 'Required value'],
  ['DHCPLease', 'spec.mac', 'id/0102', 'a client without MAC', ok],
  ['DHCPLease', 'spec.mac', '32/80:00:02:08:fe:80:01', 'hardware that is no Ethernet', ok],
  ['DHCPLease', 'spec.mac', '32/80:', 'half of it', 'must be a MAC address'],
  ['DHCPLease', 'spec.expires', 'tomorrow', 'no time', 'must be a time such as'],
]

describeWithControlPlane('formats of single fields, on the API server', () => {
  const installed = useInstalledKinds()

  describe.each(rows.map(([kind, field, value, why, says]) => ({ kind, field, value, why, says })))(
    '$kind $field: $why',
    ({ kind, field, value, says }) => {
      test(says === ok ? `${JSON.stringify(value)} is taken` : `${JSON.stringify(value)}: ${says}`, async () => {
        const { accepted, complaints } = await installed().create(kind, spoiled(kind, { [field]: value }))
        const answer = complaints.join('\n')
        if (says === ok) expect(answer).toBe('')
        else expect(answer).toContain(says)
        expect(accepted).toBe(says === ok)
      })
    },
  )
})
