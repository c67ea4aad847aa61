import { serverAddressesOf } from '../../api/network.ts'
import { isMapping } from '../../api/shape.ts'
import type { KnownLease, KnownMachine, Sights } from '../../core/trace/boots.ts'
import type { Sighting } from '../../core/trace/sightings.ts'
import { keyOf } from '../../runtime/kube/object.ts'
import { ofInfra } from '../shared/holder.ts'
import type { OwnObject } from '../shared/kinds.ts'
import type { Operator } from '../shared/operator.ts'

/** What our own servers saw of the machines of an Infra, from their objects. */
export function sightsOf({ caches }: Pick<Operator, 'caches'>, infra: OwnObject): Sights {
  const key = keyOf(infra.metadata)
  const dhcp = ofInfra(infra, caches.dhcpServers.objects.get(`${key}-dhcp`))
  const dns = ofInfra(infra, caches.dnsServers.objects.get(`${key}-dns`))
  const proxy = ofInfra(infra, caches.proxyServers.objects.get(`${key}-proxy`))
  const resolved = dhcp?.status?.resolved
  const madeAt = (mac: string): number | undefined =>
    timeOf(caches.machines.objects.byIndex('byMac', mac).at(-1)?.metadata.creationTimestamp)
  return {
    machines: machinesIn(isMapping(resolved) ? resolved.clients : undefined, madeAt),
    leases: dhcp ? caches.leases.objects.byIndex('byServer', `${key}-dhcp`).flatMap(({ spec }) => leaseIn(spec)) : [],
    refusals: listOf(dhcp?.status?.refusals).flatMap(({ mac, reason }) =>
      typeof mac === 'string' && typeof reason === 'string' ? [{ mac, reason }] : [],
    ),
    dns: progressIn(dns),
    proxy: progressIn(proxy),
    dnsAddress: addressOf(dns),
    proxyAddress: addressOf(proxy),
  }
}

/** Cards of one machine are one machine. */
function machinesIn(clients: unknown, madeAt: (mac: string) => number | undefined): KnownMachine[] {
  const macsOf = new Map<string, string[]>()
  for (const { mac, name } of listOf(clients)) {
    if (typeof mac !== 'string') continue
    const machine = typeof name === 'string' ? name : mac
    macsOf.set(machine, [...(macsOf.get(machine) ?? []), mac])
  }
  return Array.from(macsOf, ([name, macs]) => ({ name, macs, sinceMs: madeAt(macs[0] ?? '') }))
}

function leaseIn(spec: unknown): KnownLease[] {
  if (!isMapping(spec)) return []
  const { address, mac, vmName, hostname, state, start } = spec
  if (typeof address !== 'string' || typeof mac !== 'string' || typeof state !== 'string') return []
  return [
    {
      address,
      mac,
      state,
      startMs: timeOf(start),
      ...(typeof vmName === 'string' ? { vmName } : {}),
      ...(typeof hostname === 'string' ? { hostname } : {}),
    },
  ]
}

/** Undefined if its engine does not tell. */
function progressIn(server: OwnObject | undefined): Sighting[] | undefined {
  if (!Array.isArray(server?.status?.clients)) return undefined
  return listOf(server.status.clients).flatMap(({ address, reached, failing, changed }) =>
    typeof address === 'string'
      ? [
          {
            address,
            reached: Array.isArray(reached) ? reached.filter((name) => typeof name === 'string') : [],
            failing: listOf(failing).flatMap(({ name, error }) =>
              typeof name === 'string' ? [{ name, error: typeof error === 'string' ? error : '' }] : [],
            ),
            changedMs: timeOf(changed) ?? 0,
          },
        ]
      : [],
  )
}

function addressOf(server: OwnObject | undefined): string | undefined {
  const network = isMapping(server?.spec) ? server.spec.networkConfig : undefined
  if (!isMapping(network)) return undefined
  const { serverIP, serverIPs } = network
  const texts = Array.isArray(serverIPs) ? serverIPs.filter((ip) => typeof ip === 'string') : undefined
  return serverAddressesOf({
    ...(typeof serverIP === 'string' ? { serverIP } : {}),
    ...(texts ? { serverIPs: texts } : {}),
  })[0]
}

function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isMapping) : []
}

function timeOf(text: unknown): number | undefined {
  const ms = typeof text === 'string' ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}
