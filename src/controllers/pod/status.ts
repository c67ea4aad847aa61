import { parseMac } from '../../core/net/mac.ts'
import type { ChosenProxyStatus } from '../../engines/chosen-proxy.ts'
import type { DhcpEngineStatus } from '../../engines/dhcp/engine.ts'
import type { DnsEngineStatus } from '../../engines/dns/engine.ts'

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

export function dnsStatus({ servingGeneration }: DnsEngineStatus): object {
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
