import { type FieldPath, findAll, valueAt } from './fieldpath.ts'
import type { KindName } from './kinds.ts'
import { isMapping } from './shape.ts'

/**
 * What the API has and no engine does. The one list of it: manifests that ask for any of this are refused, and the
 * documentation prints it. Whoever builds one of these deletes its line.
 */
interface NotYet {
  /** Completes "… is not yet there". */
  readonly what: string
  /** Kind and field, e.g. `DHCPServer spec.probe`; `[]` stands for each entry of a list. */
  readonly fields: readonly `${KindName} ${string}`[]
  /** Does this value ask for it? Default: any value does. What equals leaving the field out never does. */
  readonly asks?: (value: unknown, manifest: unknown) => boolean
}

const dhcp = (field: string) => [`DHCPServer spec.${field}`, `Infra spec.infraComponents.dhcp.${field}`] as const
const dns = (field: string) => [`DNSServer spec.${field}`, `Infra spec.infraComponents.dns.${field}`] as const
const proxy = (field: string) => [`ProxyServer spec.${field}`, `Infra spec.infraComponents.proxy.${field}`] as const

const is = (wanted: unknown) => (value: unknown) => value === wanted
const hasEntries = (value: unknown) => !Array.isArray(value) || value.length > 0
const hasTwo = (value: unknown) => Array.isArray(value) && value.length > 1
const isNotOff = (value: unknown) => !isMapping(value) || value.enabled !== false
const isOn = (value: unknown) => isMapping(value) && value.enabled === true
const isOverTls = (value: unknown) => typeof value === 'string' && value.startsWith('tls://')

export const notYet: readonly NotYet[] = [
  {
    what: 'a second address for high availability',
    fields: [
      'Infra spec.infraComponents.dhcp.serverIPs',
      'Infra spec.infraComponents.dns.serverIPs',
      'Infra spec.infraComponents.proxy.serverIPs',
      'DHCPServer spec.networkConfig.serverIPs',
      'DNSServer spec.networkConfig.serverIPs',
      'ProxyServer spec.networkConfig.serverIPs',
    ],
    asks: hasTwo,
  },
  { what: 'probing for addresses in use', fields: dhcp('probe'), asks: isNotOff },
  { what: 'keeping leases on a persistent volume', fields: dhcp('leaseStorage'), asks: is('PersistentVolume') },
  { what: 'sending search domains (option 119)', fields: dhcp('clientOptions.searchDomains'), asks: hasEntries },
  { what: 'sending time servers (option 42)', fields: dhcp('clientOptions.ntpServers'), asks: hasEntries },
  { what: 'sending routes (option 121)', fields: dhcp('clientOptions.routes'), asks: hasEntries },
  { what: 'network boot (options 66 and 67)', fields: dhcp('clientOptions.boot') },
  { what: 'sending options by number', fields: dhcp('options'), asks: saysMoreThanNetwork },
  { what: 'CoreDNS as engine', fields: dns('engine'), asks: is('coredns') },
  { what: 'logging every query', fields: dns('queryLog'), asks: is(true) },
  {
    what: 'asking upstream over TLS',
    fields: ['Infra spec.networkConfig.dnsServers[]', 'DNSServer spec.upstreamDNS[]'],
    asks: isOverTls,
  },
  { what: 'Envoy as engine', fields: proxy('engine'), asks: is('envoy') },
  { what: 'routing plain HTTP', fields: proxy('backends[].protocol'), asks: is('HTTP') },
  { what: 'routing by the address of the client', fields: proxy('backends[].sourcePrefixRanges'), asks: hasEntries },
  { what: 'the PROXY protocol', fields: proxy('backends[].proxyProtocol'), asks: is(true) },
  { what: 'checking the health of targets', fields: proxy('backends[].healthCheck') },
  {
    what: 'a Service for users outside both networks',
    fields: ['Infra spec.infraComponents.proxy.externalService'],
    asks: isOn,
  },
  {
    what: 'asking a hosted cluster for the address of its ingress (give it as appsIngress.address)',
    fields: ['Infra spec.appsIngress'],
    asks: (value) => isOn(value) && isMapping(value) && value.address === undefined && isMapping(value.metallb),
  },
]

/** Manifests written for the Go program repeat router and resolvers here; what networkConfig says anyway is no wish. */
function saysMoreThanNetwork(options: unknown, manifest: unknown): boolean {
  const router = valueAt(manifest, ['spec', 'networkConfig', 'gateway'])
  const resolvers = valueAt(manifest, ['spec', 'networkConfig', 'dnsServers'])
  const said = new Map<unknown, unknown>([
    [3, router],
    [6, Array.isArray(resolvers) ? resolvers.join(',') : undefined],
  ])
  if (!Array.isArray(options)) return true
  return !options.every(
    (option) => isMapping(option) && typeof option.value === 'string' && option.value === said.get(option.code),
  )
}

/** What a manifest, as it was written, asks for in vain. */
export function findNotYet(
  kind: KindName,
  manifest: unknown,
): { readonly path: FieldPath; readonly message: string }[] {
  return notYet.flatMap(({ what, fields, asks }) =>
    fields
      .filter((field) => field.startsWith(`${kind} `))
      .flatMap((field) => findAll(manifest, field.slice(kind.length + 1)))
      .filter(({ value }) => asks?.(value, manifest) ?? true)
      .map(({ path }) => ({ path, message: `${what} is not yet there: leave it out` })),
  )
}
