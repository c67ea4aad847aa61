import type { Cidr } from '../../../core/net/cidr.ts'
import type { PoolDefinition } from '../leases/pool.ts'

/** All that the protocol needs to know of a DHCPServer, ready for use at packet rate. */
export interface DhcpSettings {
  /** `DHCPServer vlan/dhcp`, for messages to people. */
  readonly title: string
  readonly generation: number | undefined
  readonly cidr: Cidr
  readonly serverAddress: number
  readonly pool: PoolDefinition
  /** Addresses that others have for good: server, gateway, resolvers. Nobody is lent one, reservation or not. */
  readonly infrastructure: ReadonlySet<number>
  /** Reserved addresses and the clients they wait for; no clients while a virtual machine's MAC is not known yet. */
  readonly reservedFor: ReadonlyMap<number, readonly string[]>
  /** Clients known by MAC: reservations, and the virtual machines the operator found. */
  readonly clients: ReadonlyMap<string, KnownClient>
  readonly servesUnknownClients: boolean
  /** No other server is on this link, so a client that holds a wrong address is told so. */
  readonly authoritative: boolean
  /** How long somebody who uses an address without a lease has to answer; undefined: nobody is asked. */
  readonly probeTimeoutMs: number | undefined
  readonly leaseSeconds: number
  readonly mtu: number | undefined
  /** Options that are the same for every client, by code. */
  readonly options: ReadonlyMap<number, Uint8Array>
  readonly domainName: string | undefined
  readonly boot: BootSource
}

/** Where a machine that boots from the network finds what to boot. */
export interface BootSource {
  /** `siaddr`; 0 if none. */
  readonly server: number
  /** `file`, if it has one that fits there. */
  readonly file: Buffer | undefined
}

export interface KnownClient {
  /** What the client is told to call itself. */
  readonly hostname: string
  readonly vmName: string
  readonly cluster: string
  readonly reservedAddress: number | undefined
}

export const unnamedClient: KnownClient = { hostname: '', vmName: '', cluster: '', reservedAddress: undefined }
