import type { DHCPReservation, DHCPServer } from '../../api/dhcpserver.ts'
import { parseIpv4 } from '../../core/net/ipv4.ts'
import { parseMac } from '../../core/net/mac.ts'
import { type KnownClient, unnamedClient } from './protocol/settings.ts'

type Resolved = NonNullable<NonNullable<DHCPServer['status']>['resolved']>
type ResolvedClient = NonNullable<Resolved['clients']>[number]

interface Clients {
  readonly clients: ReadonlyMap<string, KnownClient>
  readonly reservedFor: ReadonlyMap<number, readonly string[]>
}

/**
 * Who is known, by MAC. The virtual machines that the operator found come first; reservations say more about them, or
 * about machines nobody else knows. A reservation by vmName is for every MAC of that machine: the first one to ask
 * gets the address.
 */
export function readClients(reservations: readonly DHCPReservation[], resolved: readonly ResolvedClient[]): Clients {
  const clients = new Map<string, KnownClient>()
  const macsByVmName = new Map<string, string[]>()
  for (const { mac: text, name = '', cluster = '' } of resolved) {
    const mac = parseMac(text)
    if (mac === undefined) continue
    clients.set(mac, { ...unnamedClient, hostname: name, vmName: name, cluster })
    macsByVmName.set(name, [...(macsByVmName.get(name) ?? []), mac])
  }

  const reservedFor = new Map<number, readonly string[]>()
  for (const reservation of reservations) {
    const mac = parseMac(reservation.mac ?? '')
    const macs = mac === undefined ? (macsByVmName.get(reservation.vmName ?? '') ?? []) : [mac]
    const address = parseIpv4(reservation.address ?? '')
    if (address !== undefined) reservedFor.set(address, macs)
    for (const each of macs)
      clients.set(each, withReservation(clients.get(each) ?? unnamedClient, reservation, address))
  }
  return { clients, reservedFor }
}

function withReservation(client: KnownClient, reservation: DHCPReservation, address: number | undefined): KnownClient {
  const vmName = reservation.vmName ?? client.vmName
  const hostname = reservation.hostname ?? (vmName === '' ? client.hostname : vmName)
  return { ...client, vmName, hostname, reservedAddress: address }
}
