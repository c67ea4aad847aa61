import { parseMac } from '../../core/net/mac.ts'
import { dhcpTroubles } from '../../core/status/dhcp.ts'
import { dnsTroubles } from '../../core/status/dns.ts'
import { troubleStatements } from '../../core/status/engine.ts'
import type { Statement } from '../../core/status/statement.ts'
import type { ChosenDnsStatus } from '../../engines/chosen-dns.ts'
import type { ChosenProxyStatus } from '../../engines/chosen-proxy.ts'
import type { DhcpEngineStatus } from '../../engines/dhcp/engine.ts'

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

export function dnsStatus({ servingGeneration }: ChosenDnsStatus): object {
  return servingGeneration === undefined ? {} : { servingGeneration }
}

const longestErrorLength = 1024

export function proxyStatus({ servingGeneration, backends }: ChosenProxyStatus): object {
  return {
    ...(servingGeneration === undefined ? {} : { servingGeneration }),
    backends: backends.map(({ name, endpoints, healthy, lastError }) => ({
      name,
      endpoints,
      healthy,
      ...(lastError === undefined ? {} : { lastError: lastError.slice(0, longestErrorLength) }),
    })),
  }
}
