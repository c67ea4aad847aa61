import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { knotCommand } from '../../../src/engines/dns/name-servers-for-tests.ts'
import { type Bench, startServer } from '../bench.ts'
import { type Contender, pinLoad, pinServer, type RunningContender } from '../harness.ts'
import { isListening } from '../listening.ts'
import { startOooi } from '../oooi.ts'
import { clusterDomain, clusterZoneFile, entries, foreignDomain, foreignZoneFile, proxyAddress } from './zone.ts'

export interface DnsContender extends Contender {
  readonly address: string
}

/** Where all clients are. */
const vlanCidr = '10.77.0.0/24'

/** Where a contender is to serve. */
export interface Place {
  readonly bench: Bench
  readonly namespace: string
  readonly address: string
}

function isServing(address: string): (pid: number) => Promise<boolean> {
  return async (pid) => (await isListening(pid, 'udp', address, 53)) && (await isListening(pid, 'tcp', address, 53))
}

/** Both views, metrics and forwarding: everything it has is on. */
export function oooi(place: Place, version: string, podAddress: string, upstream: string): DnsContender {
  const { bench, namespace, address } = place
  const spec = {
    networkConfig: {
      serverIP: address,
      proxyIP: proxyAddress,
      internalProxyIP: '172.30.10.10',
      secondaryNetworkCIDR: vlanCidr,
    },
    hostedClusterDomain: clusterDomain,
    staticEntries: entries.map((entry) => ({ hostname: entry.hostname, ip: entry.address })),
    upstreamDNS: [upstream],
    cacheTTL: '1h',
  }
  const options = ['--pod-address', podAddress]
  const plan = { engine: 'dns', kind: 'DNSServer', spec, namespace, options, isReady: isServing(address) } as const
  return { name: 'oooi', version, address, start: () => startOooi(bench, plan) }
}

export function knot(place: Place, version: string): DnsContender {
  const zones = new Map([[clusterDomain, clusterZoneFile(place.address)]])
  return { name: 'Knot', version, address: place.address, start: () => startKnot(place, zones, 'knot', pinServer) }
}

/** The server that foreign names are forwarded to; it belongs to the load. */
export function startUpstream(place: Place): Promise<RunningContender> {
  return startKnot(place, new Map([[foreignDomain, foreignZoneFile(place.address)]]), 'upstream', pinLoad)
}

function startKnot(
  { bench, namespace, address }: Place,
  zones: ReadonlyMap<string, string>,
  what: string,
  pin: readonly string[],
): Promise<RunningContender> {
  const command = knotCommand({ address, port: 53, directory: join(bench.directory, what), zones })
  return startServer(bench, { what, namespace, pin, command, isReady: isServing(address) })
}

/** With views, as a split horizon needs them, and everything else forwarded through its cache. */
export function coredns(
  place: Place,
  program: string,
  version: string,
  upstream: string,
  metrics: boolean,
): DnsContender {
  const { bench, namespace, address } = place
  const name = metrics ? 'CoreDNS' : 'CoreDNS without metrics'
  const what = metrics ? 'coredns' : 'coredns-plain'
  const start = () => {
    const directory = join(bench.directory, what)
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, 'zone'), clusterZoneFile(address))
    const common = `    bind ${address}\n    errors\n${metrics ? `    prometheus ${address}:9153\n` : ''}`
    const zone = `    file ${join(directory, 'zone')} ${clusterDomain}\n`
    const corefile = `${clusterDomain}:53 {
    view vlan {
        expr incidr(client_ip(), '${vlanCidr}')
    }
${zone}${common}}
${clusterDomain}:53 {
${zone}${common}}
.:53 {
    forward . ${upstream}
    cache 3600
${common}}
`
    const file = join(directory, 'Corefile')
    writeFileSync(file, corefile)
    const command = [program, '-conf', file]
    // One core, one thread that runs Go code: more of them would only take turns.
    return startServer(bench, { what, namespace, command, env: { GOMAXPROCS: '1' }, isReady: isServing(address) })
  }
  return { name, version, address, start }
}
