import { randomFillSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { getCACertificates } from 'node:tls'
import type { DNSServer } from '../../api/dnsserver.ts'
import type { Engine, EngineContext } from '../engine.ts'
import { DnsEngine, type DnsEngineParts } from './dns-engine.ts'
import { defaultTcpLimits } from './server/tcp.ts'
import type { DnsEngineStatus } from './status.ts'

export type { DnsEngineStatus }

/** What is not given is that of the host the server runs on. */
export type DnsEngineOptions = EngineContext & Partial<Omit<DnsEngineParts, keyof EngineContext>>

/** The split-horizon DNS server. */
export function createDnsEngine(options: DnsEngineOptions): Engine<DNSServer, DnsEngineStatus> {
  return new DnsEngine({
    readResolvConf: () => readFile('/etc/resolv.conf', 'utf8'),
    fillRandom: (bytes) => {
      randomFillSync(bytes)
    },
    clusterDomains: ['cluster.local'],
    clusterNetworks: [],
    cacheBytes: 8 << 20,
    retryAfterMs: 800,
    tcpLimits: defaultTcpLimits,
    authorities: () => [...getCACertificates('default'), ...getCACertificates('system')],
    ...options,
    log: options.log.child({ component: 'dns' }),
  })
}
