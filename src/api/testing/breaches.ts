import { parsePath } from '../fieldpath.ts'
import type { KindName } from '../kinds.ts'
import type { Mode } from '../rules/rule.ts'
import { type Plain, withChange } from './change.ts'
import { goodManifests } from './manifests.ts'

/** One change to a good manifest, the rule it breaks and the field that is named. `undefined` removes a field. */
export type Breach = readonly [
  rule: string,
  field: string,
  changes: Readonly<Record<string, Plain | undefined>>,
  mode?: Mode,
]

const outside = '10.9.9.9'
const first = '192.168.100.0'
const last = '192.168.100.255'
const gateway = '192.168.100.1'

/** The rules of DHCP are the same for an Infra and a DHCPServer; only the fields have other places. */
function dhcpBreaches(range: string, place: string): Breach[] {
  const reserve = (...reservations: Plain[]) => ({ [`${place}reservations`]: reservations })
  const reservation = `${place}reservations[1]`
  const mac = '02:00:00:00:00:01'
  return [
    ['rangeStartInsideNetwork', `${range}rangeStart`, { [`${range}rangeStart`]: '9.0.0.1' }],
    ['rangeEndInsideNetwork', `${range}rangeEnd`, { [`${range}rangeEnd`]: '193.0.0.1' }],
    ['rangeOrdered', `${range}rangeEnd`, { [`${range}rangeEnd`]: '192.168.100.99' }],
    ['reservationInsideNetwork', `${reservation}.address`, reserve({ mac }, { vmName: 'w', address: outside })],
    ['reservationNotNetworkOrBroadcast', `${reservation}.address`, reserve({ mac }, { vmName: 'w', address: last })],
    ['reservationNotGateway', `${reservation}.address`, reserve({ mac }, { vmName: 'w', address: gateway })],
    ['reservationNamesAClient', reservation, reserve({ mac }, { hostname: 'w' })],
    ['macReservedOnce', `${reservation}.mac`, reserve({ mac }, { mac: mac.replaceAll(':', '-') })],
    ['vmNameReservedOnce', `${reservation}.vmName`, reserve({ vmName: 'w' }, { vmName: 'w' })],
    [
      'addressReservedOnce',
      `${reservation}.address`,
      reserve({ mac, address: '192.168.100.60' }, { vmName: 'w', address: '192.168.100.60' }),
    ],
    [
      'hostnameReservedOnce',
      `${reservation}.hostname`,
      reserve({ mac, hostname: 'a' }, { vmName: 'w', hostname: 'a' }),
    ],
    ['exclusionInsideNetwork', `${place}exclusions[0]`, { [`${place}exclusions`]: ['192.168.100.250-192.168.101.1'] }],
    [
      'routerInsideNetwork',
      `${place}clientOptions.routes[0].via`,
      { [`${place}clientOptions`]: { routes: [{ to: '10.0.0.0/8', via: outside }] } },
    ],
    [
      'optionsDistinct',
      `${place}options[1].code`,
      {
        [`${place}options`]: [
          { code: 43, value: 'a' },
          { code: 43, value: 'b' },
        ],
      },
    ],
    [
      'optionsDistinct',
      `${place}options[0].code`,
      { [`${place}options`]: [{ code: 26, value: '1400' }], [`${place}clientOptions`]: { mtu: 1400 } },
    ],
  ]
}

function serverBreaches(name: string, place: string): Breach[] {
  const one = `${place}serverIP`
  const two = `${place}serverIPs`
  return [
    [`${name}HasAddress`, one, { [one]: undefined }],
    [`${name}AddressOnce`, two, { [two]: ['192.168.100.7'] }],
    [`${name}AddressesDistinct`, `${two}[1]`, { [one]: undefined, [two]: ['192.168.100.7', '192.168.100.7/24'] }],
  ]
}

function addressBreaches(name: string, place: string): Breach[] {
  return [
    [`${name}AddressInsideNetwork`, `${place}serverIP`, { [`${place}serverIP`]: outside }],
    [
      `${name}AddressInsideNetwork`,
      `${place}serverIPs[1]`,
      { [`${place}serverIP`]: undefined, [`${place}serverIPs`]: ['192.168.100.7', outside] },
    ],
    [`${name}AddressNotNetworkOrBroadcast`, `${place}serverIP`, { [`${place}serverIP`]: first }],
  ]
}

function notGatewayBreach(name: string, place: string): Breach {
  return [`${name}AddressNotGateway`, `${place}serverIP`, { [`${place}serverIP`]: `${gateway}/24` }]
}

function backendBreaches(place: string): Breach[] {
  const backend = (name: string, more: Record<string, Plain> = {}) => ({
    name,
    hostname: `${name}.example.com`,
    port: 443,
    targetAddress: '10.0.0.1',
    targetPort: 443,
    ...more,
  })
  const { targetAddress, ...withoutTarget } = backend('a')
  const both = (other: Record<string, Plain>) => ({ [place]: [backend('a', { default: true }), backend('b', other)] })
  return [
    ['backendHasTarget', `${place}[0].targetService`, { [place]: [withoutTarget] }],
    ['backendHasOneTarget', `${place}[0].targetAddress`, { [place]: [backend('a', { targetNamespace: 'x' })] }],
    [
      'backendHasTargetNamespace',
      `${place}[0].targetNamespace`,
      { [place]: [{ ...withoutTarget, targetService: 'x' }] },
    ],
    ['backendNamesDistinct', `${place}[1].name`, both({ name: 'a' })],
    ['backendRoutesDistinct', `${place}[1].hostname`, both({ hostname: 'a.example.com' })],
    ['backendRoutesDistinct', `${place}[1].alternateHostnames[0]`, both({ alternateHostnames: ['a.example.com'] })],
    ['backendDefaultsDistinct', `${place}[1].default`, both({ default: true })],
    ['backendPortsOneProtocol', `${place}[1].protocol`, both({ protocol: 'HTTP' })],
    ['backendPortsOneProtocol', `${place}[1].protocol`, both({ protocol: 'Raw' })],
  ]
}

/** The good manifest of a kind with these changes. */
export function spoiled(name: KindName, changes: Breach[2]): unknown {
  return Object.entries(changes).reduce<unknown>(
    (changed, [path, value]) => withChange(changed, parsePath(path), value),
    goodManifests[name],
  )
}

/** Every rule of every kind, broken at least once. */
export const breaches: Readonly<Record<KindName, readonly Breach[]>> = {
  Infra: [
    ['gatewayInsideNetwork', 'spec.networkConfig.gateway', { 'spec.networkConfig.gateway': outside }],
    ['gatewayNotNetworkOrBroadcast', 'spec.networkConfig.gateway', { 'spec.networkConfig.gateway': first }],
    ['oneNetworkForm', 'spec.networkConfig.attachment', { 'spec.networkConfig.attachment': { name: 'vlan100' } }],
    ['structuredFormHasAttachment', 'spec.networkConfig.attachment', { 'spec.networkConfig.topology': 'Localnet' }],
    [
      'hasNetworkAttachment',
      'spec.networkConfig.networkAttachmentDefinition',
      { 'spec.networkConfig.networkAttachmentDefinition': undefined },
      'cluster',
    ],
    ...(['dhcp', 'dns', 'proxy'] as const).flatMap((name) => [
      ...serverBreaches(name, `spec.infraComponents.${name}.`),
      ...addressBreaches(name, `spec.infraComponents.${name}.`),
      notGatewayBreach(name, `spec.infraComponents.${name}.`),
    ]),
    [
      'componentAddressesDistinct',
      'spec.infraComponents.dns.serverIP',
      { 'spec.infraComponents.dns.serverIP': '192.168.100.2/24' },
      'cluster',
    ],
    ['rangeStartGiven', 'spec.infraComponents.dhcp.rangeStart', { 'spec.infraComponents.dhcp.rangeStart': undefined }],
    ['rangeEndGiven', 'spec.infraComponents.dhcp.rangeEnd', { 'spec.infraComponents.dhcp.rangeEnd': undefined }],
    ...dhcpBreaches('spec.infraComponents.dhcp.', 'spec.infraComponents.dhcp.'),
    ['domainComplete', 'spec.infraComponents.dns.clusterName', { 'spec.infraComponents.dns.clusterName': undefined }],
    [
      'targetsDistinct',
      'spec.infraComponents.proxy.targets[1].name',
      {
        'spec.infraComponents.proxy.targets': [
          { name: 'a', address: '10.0.0.1', port: 1 },
          { name: 'a', address: '10.0.0.2', port: 1 },
        ],
      },
    ],
    ['appsIngressHasAddress', 'spec.appsIngress.address', { 'spec.appsIngress': { enabled: true } }],
    [
      'appsIngressAddressIsItsOwn',
      'spec.appsIngress.address',
      { 'spec.appsIngress': { enabled: true, address: '192.168.100.10' } },
    ],
    ...backendBreaches('spec.infraComponents.proxy.backends'),
  ],
  DHCPServer: [
    ['gatewayInsideNetwork', 'spec.networkConfig.gateway', { 'spec.networkConfig.gateway': outside }],
    ['gatewayNotNetworkOrBroadcast', 'spec.networkConfig.gateway', { 'spec.networkConfig.gateway': last }],
    ...serverBreaches('dhcp', 'spec.networkConfig.'),
    ...addressBreaches('dhcp', 'spec.networkConfig.'),
    notGatewayBreach('dhcp', 'spec.networkConfig.'),
    ...dhcpBreaches('spec.leaseConfig.', 'spec.'),
  ],
  DNSServer: [...serverBreaches('dns', 'spec.networkConfig.'), ...addressBreaches('dns', 'spec.networkConfig.')],
  ProxyServer: [...serverBreaches('proxy', 'spec.networkConfig.'), ...backendBreaches('spec.backends')],
  InfraClusterAttachment: [
    ['domainComplete', 'spec.dns.clusterName', { 'spec.dns.clusterName': undefined }],
    ['appsIngressHasAddress', 'spec.appsIngress.address', { 'spec.appsIngress': { enabled: true } }],
  ],
  DHCPLease: [],
  VirtualIngress: virtualIngressBreaches(),
}

function virtualIngressBreaches(): Breach[] {
  const port = { number: 80 }
  const service = (at: string, given: (service: Plain) => Record<string, Plain>): Breach[] => [
    ['serviceByNameOrLabels', `${at}.name`, given({ port })],
    ['serviceByNameOrLabels', `${at}.name`, given({ name: 'a', matchLabels: { a: 'b' }, port })],
    ['namespaceOnlyWithLabels', `${at}.namespace`, given({ name: 'a', namespace: 'b', port })],
    ['portByNumberOrName', `${at}.port`, given({ name: 'a', port: {} })],
    [
      'valuesFitOperator',
      `${at}.matchExpressions[0].values`,
      given({ matchExpressions: [{ key: 'a', operator: 'In' }], port }),
    ],
  ]
  const backend = (at: string): Breach[] => [
    ['backendIsServiceOrResource', `${at}.service`, { [at]: {} }],
    [
      'backendIsServiceOrResource',
      `${at}.service`,
      { [at]: { service: { name: 'a', port }, services: [{ name: 'a', port }] } },
    ],
    ...service(`${at}.service`, (given) => ({ [at]: { service: given } })),
    ...service(`${at}.services[0]`, (given) => ({ [at]: { services: [given] } })),
  ]
  return [
    ['leadsSomewhere', 'spec.rules', { 'spec.rules': [] }],
    ['routeHasParents', 'spec.parentRefs', { 'spec.output': 'HTTPRoute' }],
    ['routeHasParents', 'spec.parentRefs', { 'spec.parentRefs': [{ name: 'gateway' }] }],
    ['tlsSecretsDistinct', 'spec.tls[1].secretName', { 'spec.tls': [{ secretName: 'a' }, { secretName: 'a' }] }],
    ...backend('spec.defaultBackend'),
    ...backend('spec.rules[0].http.paths[0].backend'),
  ]
}
