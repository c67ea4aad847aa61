import type { DNSServer } from '../../api/dnsserver.ts'
import { parseDuration } from '../net/duration.ts'
import { failed, ok, type Problem, type Result } from '../result.ts'
import { zoneFile } from './zone-file.ts'
import { type View, type Zone, zonesOf } from './zones.ts'

export interface CorednsOptions {
  /** The directory where the zone files will be. */
  readonly zoneDirectory: string
  readonly serial: number
  readonly podAddresses: readonly string[]
  /** Listen on these addresses only; none: on all. */
  readonly bind: readonly string[]
  /** Domains of the cluster it runs in: refused to the VLAN, asked of `clusterResolvers` for pods. */
  readonly clusterDomains: readonly string[]
  readonly clusterResolvers: readonly string[]
  /** Where metrics, health and readiness are to be had, as `:9153`. */
  readonly observe?: { readonly metrics: string; readonly health: string; readonly ready: string }
}

export interface CorednsFiles {
  readonly corefile: string
  /** By file name. */
  readonly zoneFiles: ReadonlyMap<string, string>
}

/** The configuration of a stock CoreDNS that serves this DNSServer. */
export function renderCoredns(server: DNSServer, options: CorednsOptions): Result<CorednsFiles> {
  const upstreams = upstreamsOf(server)
  if (!upstreams.ok) return upstreams
  const [vlan, pod] = (['vlan', 'pod'] as const).map((view) => zonesOf(server, view, options.podAddresses))
  const zoneFiles = new Map<string, string>()
  for (const [view, zones] of [
    ['vlan', vlan ?? []],
    ['pod', pod ?? []],
  ] as const) {
    for (const zone of zones) zoneFiles.set(fileName(view, zone), zoneFile(zone, options.serial))
  }
  const blocks = [
    snippet(server),
    zoneBlock(server, options, 'vlan', vlan ?? []),
    // What has no filter must stand behind what has one, or it hides it.
    zoneBlock(server, options, 'pod', pod ?? []),
    ...clusterBlocks(server, options),
    forwardBlock(server, options, upstreams.value),
  ]
  return ok({ corefile: blocks.join(''), zoneFiles })
}

function fileName(view: View, { apex }: Zone): string {
  return `db.${view}.${apex}`
}

type Lines = readonly (string | Lines)[]

/** Lists are one level deeper than the line before them. */
function indented(lines: Lines, depth = 1): string {
  return lines
    .map((line) => (typeof line === 'string' ? `${'    '.repeat(depth)}${line}\n` : indented(line, depth + 1)))
    .join('')
}

function block(head: string, ...body: Lines): string {
  return `${head} {\n${indented(body)}}\n`
}

const nested = (head: string, ...body: readonly string[]): Lines => [`${head} {`, body, '}']

function reloadSeconds({ spec }: DNSServer): number {
  // Two seconds is the least that CoreDNS takes.
  return Math.max(Math.round((parseDuration(spec.reloadInterval) ?? 0) / 1000), 2)
}

function snippet(server: DNSServer): string {
  const seconds = reloadSeconds(server)
  const log = server.spec.queryLog ? ['log'] : []
  return block('(common)', 'errors', ...log, `reload ${seconds}s ${Math.max(Math.floor(seconds / 2), 1)}s`)
}

function zoneBlock(server: DNSServer, options: CorednsOptions, view: View, zones: readonly Zone[]): string {
  const files = zones.flatMap((zone) =>
    nested(`file ${options.zoneDirectory}/${fileName(view, zone)} ${zone.apex}`, `reload ${reloadSeconds(server)}s`),
  )
  return block(
    heads(server, zones),
    ...(view === 'vlan' ? vlanFilter(server) : []),
    ...bound(options),
    'bufsize 1232',
    'any',
    'minimal',
    ...files,
    'import common',
    ...metrics(options),
  )
}

/** By where the client is; if that cannot be told, by the address it asks. */
function vlanFilter({ spec }: DNSServer): Lines {
  const { secondaryNetworkCIDR, serverIP } = spec.networkConfig
  const byArrival = `server_ip() == '${serverIP ?? ''}'`
  const expression = secondaryNetworkCIDR === undefined ? byArrival : `incidr(client_ip(), '${secondaryNetworkCIDR}')`
  return nested('view vlan', `expr ${expression}`)
}

/** The VLAN learns nothing of the cluster; pods, and names that lead into it, are sent to its own resolver. */
function clusterBlocks(server: DNSServer, options: CorednsOptions): string[] {
  const zones = options.clusterDomains.map((apex) => ({ apex }))
  if (zones.length === 0) return []
  const refuse = nested('acl', 'block')
  const forward =
    options.clusterResolvers.length === 0 ? refuse : [`forward . ${options.clusterResolvers.join(' ')}`, 'cache 5']
  return [
    block(heads(server, zones), ...vlanFilter(server), ...bound(options), ...refuse, 'import common'),
    block(heads(server, zones), ...bound(options), ...forward, 'import common'),
  ]
}

function forwardBlock(server: DNSServer, options: CorednsOptions, upstreams: Upstreams): string {
  const forwards = server.spec.forwarding?.enabled ?? true
  const { observe } = options
  return block(
    heads(server, [{ apex: '.' }]),
    ...bound(options),
    'bufsize 1232',
    ...(forwards ? ['any', ...forwarding(upstreams), ...caching(server), 'loop'] : nested('acl', 'block')),
    'import common',
    ...metrics(options),
    ...(observe === undefined ? [] : [...nested(`health ${observe.health}`, 'lameduck 5s'), `ready ${observe.ready}`]),
  )
}

function forwarding({ addresses, tlsName }: Upstreams): Lines {
  const tls = tlsName === undefined ? [] : [`tls_servername ${tlsName}`]
  const policy = ['policy sequential', 'max_fails 2', 'health_check 1s', 'max_concurrent 1000']
  return nested(`forward . ${addresses.join(' ')}`, ...policy, ...tls)
}

/** "cache 30s" would be a zone called 30s: the number has no unit. */
function caching({ spec }: DNSServer): Lines {
  const seconds = Math.floor((parseDuration(spec.cacheTTL) ?? 0) / 1000)
  if (seconds === 0) return []
  const least = Math.min(seconds, 5)
  const negative = Math.min(seconds, 30)
  const kept = [`success 4096 ${seconds} ${least}`, `denial 2048 ${negative} ${least}`]
  return nested('cache', ...kept, 'prefetch 5 60s 20%', 'serve_stale 1h immediate', 'servfail 2s')
}

interface Upstreams {
  readonly addresses: readonly string[]
  readonly tlsName?: string
}

/** CoreDNS checks one name for all upstreams over TLS of a block. */
function upstreamsOf({ metadata, spec }: DNSServer): Result<Upstreams> {
  const texts = spec.upstreamDNS?.length ? spec.upstreamDNS : ['resolv.conf']
  const names = new Set(texts.flatMap((text) => (text.startsWith('tls://') ? [text.slice(text.indexOf('#') + 1)] : [])))
  if (names.size > 1) return failed(severalNames(metadata.name, [...names]))
  const addresses = texts.map((text) => (text === 'resolv.conf' ? '/etc/resolv.conf' : text.replace(/#.*$/, '')))
  const [tlsName] = names
  return ok({ addresses, ...(tlsName === undefined ? {} : { tlsName }) })
}

function severalNames(server: string, names: readonly string[]): Problem {
  return {
    reason: 'InvalidField',
    field: 'spec.upstreamDNS',
    message: `DNSServer ${server}: CoreDNS can check one certificate name for all upstreams over TLS, not ${names.join(' and ')}; keep those of one name, or use engine oooi.`,
  }
}

function heads({ spec }: DNSServer, zones: readonly { readonly apex: string }[]): string {
  return zones.map(({ apex }) => `${apex}:${spec.networkConfig.dnsPort}`).join(' ')
}

function bound({ bind }: CorednsOptions): string[] {
  return bind.length === 0 ? [] : [`bind ${bind.join(' ')}`]
}

function metrics({ observe }: CorednsOptions): string[] {
  return observe === undefined ? [] : [`prometheus ${observe.metrics}`]
}
