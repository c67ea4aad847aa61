import { parseMac } from '../../core/net/mac.ts'
import { dhcpTroubles } from '../../core/status/dhcp.ts'
import { dnsTroubles } from '../../core/status/dns.ts'
import { troubleStatements } from '../../core/status/engine.ts'
import type { Statement } from '../../core/status/statement.ts'
import type { Sighting } from '../../core/trace/sightings.ts'
import type { ChosenDnsStatus } from '../../engines/chosen-dns.ts'
import type { ChosenProxyStatus } from '../../engines/chosen-proxy.ts'
import type { DhcpEngineStatus } from '../../engines/dhcp/engine.ts'
import { secondsTimestamp } from '../../runtime/time/timestamp.ts'

/** The fields of each kind's status that its engine writes. All others are the manager's. */

export function dhcpStatus(status: DhcpEngineStatus): object {
  const { servingGeneration, activeLeases, totalLeases, poolUsage, leases, refusals } = status
  return {
    ...(servingGeneration === undefined ? {} : { servingGeneration }),
    activeLeases,
    totalLeases,
    poolUsage,
    leases,
    // A client without a hardware address has nothing that the field could hold.
    refusals: refusals.filter(({ mac }) => parseMac(mac) !== undefined),
  }
}

export function dhcpStatements({ problems, warnings }: DhcpEngineStatus, generation: number): Statement[] {
  return troubleStatements(generation, dhcpTroubles, [...problems, ...warnings])
}

export function dnsStatements({ problems }: ChosenDnsStatus, generation: number): Statement[] {
  return troubleStatements(generation, dnsTroubles, problems)
}

export function dnsStatus(status: ChosenDnsStatus): object {
  const { servingGeneration } = status
  return { ...(servingGeneration === undefined ? {} : { servingGeneration }), ...progressOf(status) }
}

/** How far the machines came, where the engine knows. */
function progressOf(status: object & { readonly clients?: readonly Sighting[] }): object {
  if (status.clients === undefined) return {}
  return {
    clients: status.clients.map(({ changedMs, ...sighting }) => ({
      ...sighting,
      changed: secondsTimestamp(changedMs),
    })),
  }
}

const longestErrorLength = 1024

export function proxyStatus(status: ChosenProxyStatus): object {
  const { servingGeneration, backends } = status
  return {
    ...progressOf(status),
    ...(servingGeneration === undefined ? {} : { servingGeneration }),
    backends: backends.map(({ name, endpoints, healthy, lastError }) => ({
      name,
      endpoints,
      healthy,
      ...(lastError === undefined ? {} : { lastError: lastError.slice(0, longestErrorLength) }),
    })),
  }
}
