import type { DNSServer } from '../../api/dnsserver.ts'
import { parseDuration } from '../net/duration.ts'
import { failed, ok, type Problem, type Result } from '../result.ts'
import { block, type Lines, nested } from './syntax.ts'
import { zoneFile } from './zone-file.ts'
import { type View, zonesOf } from './zones.ts'

export interface CorednsOptions {
  /** The directory where the zone files will be. */
  readonly zoneDirectory: string
  /** Where each side is served. An address on both sides looks at where the client is. */
  readonly listen: Readonly<Record<View, readonly string[]>>
  /** Domains of the cluster it runs in, which are refused to the VLAN. */
  readonly clusterDomains: readonly string[]
  /** Where metrics and readiness are to be had, as `10.128.0.5:9153`. */
  readonly observe?: { readonly metrics: string; readonly ready: string } | undefined
}

export interface CorednsFiles {
  readonly corefile: string
  readonly zones: readonly ServedZone[]
}

/** A zone as one view has it, and the file it is read from. */
export interface ServedZone {
  readonly view: View
  readonly apex: string
  readonly file: string
  /** The serial number has to rise with each change of the text. */
  readonly text: (serial: number) => string
}

/** The configuration of a stock CoreDNS that serves this DNSServer. */
export function renderCoredns(server: DNSServer, options: CorednsOptions): Result<CorednsFiles> {
  const upstreams = upstreamsOf(server)
  if (!upstreams.ok) return upstreams
  const sides = sidesOf(server, options.listen)
  const zones = sides.flatMap(({ view }) =>
    zonesOf(server, view, options.listen.pod).map((zone) => ({
      view,
      apex: zone.apex,
      file: `db.${view}.${zone.apex}`,
      text: (serial: number) => zoneFile(zone, serial),
    })),
  )
  const blocks = [
    snippet(server),
    // What has no filter must stand behind what has one, or it hides it.
    ...sides.map((side) => zoneBlock(server, options, side, zones)),
    ...sides.flatMap((side) => clusterBlock(server, options, side)),
    forwardBlock(server, options, upstreams.value),
  ]
  return ok({ corefile: blocks.join(''), zones })
}

/** One side of the horizon: the address that is asked tells it, or else a condition. */
interface Side {
  readonly view: View
  readonly bind: readonly string[]
  readonly filter: Lines
}

function sidesOf(server: DNSServer, { vlan, pod }: CorednsOptions['listen']): Side[] {
  if (!vlan.some((address) => pod.includes(address))) {
    const sides: Side[] = [
      { view: 'vlan', bind: vlan, filter: [] },
      { view: 'pod', bind: pod, filter: [] },
    ]
    return sides.filter(({ bind }) => bind.length > 0)
  }
  const bind = [...new Set([...vlan, ...pod])]
  return [
    { view: 'vlan', bind, filter: vlanFilter(server) },
    { view: 'pod', bind, filter: [] },
  ]
}

function reloadSeconds({ spec }: DNSServer): number {
  // Two seconds is the least that CoreDNS takes.
  return Math.max(Math.round((parseDuration(spec.reloadInterval) ?? 0) / 1000), 2)
}

function snippet(server: DNSServer): string {
  const seconds = reloadSeconds(server)
  const log = server.spec.queryLog ? ['log'] : []
  return block('(common)', 'errors', ...log, `reload ${seconds}s ${Math.max(Math.floor(seconds / 2), 1)}s`)
}

function zoneBlock(
  server: DNSServer,
  options: CorednsOptions,
  { view, bind, filter }: Side,
  zones: readonly ServedZone[],
): string {
  const own = zones.filter((zone) => zone.view === view)
  const files = own.flatMap(({ file, apex }) =>
    nested(`file ${options.zoneDirectory}/${file} ${apex}`, `reload ${reloadSeconds(server)}s`),
  )
  return block(
    heads(server, own),
    ...filter,
    bound(bind),
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

/** The VLAN learns nothing of the cluster; pods know it already. */
function clusterBlock(server: DNSServer, { clusterDomains }: CorednsOptions, { view, bind, filter }: Side): string[] {
  if (clusterDomains.length === 0 || view === 'pod') return []
  const zones = clusterDomains.map((apex) => ({ apex }))
  return [block(heads(server, zones), ...filter, bound(bind), ...nested('acl', 'block'), 'import common')]
}

function forwardBlock(server: DNSServer, options: CorednsOptions, upstreams: Upstreams): string {
  const forwards = server.spec.forwarding?.enabled ?? true
  const { observe, listen } = options
  return block(
    heads(server, [{ apex: '.' }]),
    bound([...new Set([...listen.vlan, ...listen.pod])]),
    'bufsize 1232',
    ...(forwards ? ['any', ...forwarding(upstreams), ...caching(server), 'loop'] : nested('acl', 'block')),
    'import common',
    ...metrics(options),
    ...(observe === undefined ? [] : [`ready ${observe.ready}`]),
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

/** The plugin refuses more, and with it the whole Corefile. */
const mostUpstreams = 15

/** CoreDNS checks one name for all upstreams over TLS of a block. */
function upstreamsOf({ metadata, spec }: DNSServer): Result<Upstreams> {
  const texts = spec.upstreamDNS?.length ? spec.upstreamDNS : ['resolv.conf']
  const names = new Set(texts.flatMap((text) => (text.startsWith('tls://') ? [text.slice(text.indexOf('#') + 1)] : [])))
  if (names.size > 1) return failed(severalNames(metadata.name, [...names]))
  if (texts.length > mostUpstreams) return failed(tooManyUpstreams(metadata.name, texts.length))
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

function tooManyUpstreams(server: string, count: number): Problem {
  return {
    reason: 'InvalidField',
    field: 'spec.upstreamDNS',
    message: `DNSServer ${server}: CoreDNS asks ${mostUpstreams} upstreams at most, not ${count}; leave some out, or use engine oooi.`,
  }
}

function heads({ spec }: DNSServer, zones: readonly { readonly apex: string }[]): string {
  return zones.map(({ apex }) => `${apex}:${spec.networkConfig.dnsPort}`).join(' ')
}

function bound(addresses: readonly string[]): string {
  return `bind ${addresses.join(' ')}`
}

function metrics({ observe }: CorednsOptions): string[] {
  return observe === undefined ? [] : [`prometheus ${observe.metrics}`]
}
