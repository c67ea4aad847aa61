import { isMapping } from '../../../api/shape.ts'
import { formatIpv4, parseIpv4 } from '../../../core/net/ipv4.ts'
import { type Lease, type LeaseState, leaseStates } from './lease.ts'

/** A lease as everybody outside sees it: a line of the journal, `oooi leases -o json`, a DHCPLease. */
export interface LeaseRecord {
  readonly address: string
  readonly mac: string
  readonly clientId?: string
  readonly hostname?: string
  readonly vmName?: string
  readonly cluster?: string
  readonly state: LeaseState
  /** RFC 3339, in UTC. */
  readonly start: string
  readonly expires: string
  readonly sequence: number
}

export function toRecord(lease: Lease): LeaseRecord {
  const { clientId, hostname, vmName, cluster } = lease
  return {
    address: formatIpv4(lease.address),
    mac: lease.mac,
    ...(clientId !== '' && { clientId }),
    ...(hostname !== '' && { hostname }),
    ...(vmName !== '' && { vmName }),
    ...(cluster !== '' && { cluster }),
    state: lease.state,
    start: new Date(lease.startMs).toISOString(),
    expires: new Date(lease.expiresMs).toISOString(),
    sequence: lease.sequence,
  }
}

/** The record as JSON, as JSON.stringify would write it: every lease that is confirmed passes here, so it is quick. */
export function toRecordJson(lease: Lease): string {
  const { address, mac, clientId, hostname, vmName, cluster, state, startMs, expiresMs, sequence } = lease
  let json = `{"address":"${formatIpv4(address)}","mac":${JSON.stringify(mac)}`
  if (clientId !== '') json += `,"clientId":${JSON.stringify(clientId)}`
  if (hostname !== '') json += `,"hostname":${JSON.stringify(hostname)}`
  if (vmName !== '') json += `,"vmName":${JSON.stringify(vmName)}`
  if (cluster !== '') json += `,"cluster":${JSON.stringify(cluster)}`
  const [start, expires] = [new Date(startMs).toISOString(), new Date(expiresMs).toISOString()]
  return `${json},"state":"${state}","start":"${start}","expires":"${expires}","sequence":${sequence}}`
}

/** Total: undefined for what is no record. Fields nobody knows are left alone. */
export function fromRecord(value: unknown): Lease | undefined {
  if (!isMapping(value)) return undefined
  const record = value
  const address = parseIpv4(textOf(record.address))
  const state = leaseStates.find((known) => known === record.state)
  const [startMs, expiresMs] = [Date.parse(textOf(record.start)), Date.parse(textOf(record.expires))]
  const { mac, sequence } = record
  if (address === undefined || state === undefined || typeof mac !== 'string' || mac === '') return undefined
  if (Number.isNaN(startMs) || Number.isNaN(expiresMs)) return undefined
  if (typeof sequence !== 'number' || !Number.isSafeInteger(sequence)) return undefined
  return {
    address,
    mac,
    clientId: textOf(record.clientId),
    hostname: textOf(record.hostname),
    vmName: textOf(record.vmName),
    cluster: textOf(record.cluster),
    state,
    startMs,
    expiresMs,
    sequence,
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
