import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseIpv4 } from '../../../src/core/net/ipv4.ts'
import { encodeCommit, header } from '../../../src/engines/dhcp/journal/format.ts'
import { journalPath } from '../../../src/engines/dhcp/journal/open.ts'
import type { Lease } from '../../../src/engines/dhcp/leases/lease.ts'
import { toRecord } from '../../../src/engines/dhcp/leases/lease-record.ts'
import type { Outcome, RunningContender } from '../harness.ts'
import { vlan } from './network.ts'

export const restartLeases = 60_000

/** As servers leave them behind that served that many clients one by one. */
function leases(count: number): Lease[] {
  const first = parseIpv4(vlan.rangeStart) ?? 0
  const startMs = Date.now()
  const expiresMs = startMs + vlan.leaseSeconds * 1000
  const about = { clientId: '', hostname: '', vmName: '', cluster: '', state: 'Active', startMs, expiresMs } as const
  return Array.from({ length: count }, (_, index) => ({
    ...about,
    address: first + index,
    mac: Buffer.from([2, 0, 0, index >> 16, index >> 8, index])
      .toString('hex')
      .replaceAll(/(..)(?=.)/g, '$1:'),
    sequence: index + 1,
  }))
}

export function writeOwnLeases(stateDir: string): void {
  mkdirSync(stateDir, { recursive: true })
  const commits = leases(restartLeases).map((lease) => encodeCommit([lease]))
  writeFileSync(journalPath(stateDir), Buffer.concat([Buffer.from(header), ...commits]))
}

export function writeKeaLeases(directory: string): void {
  const columns =
    'address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state,user_context'
  const lines = leases(restartLeases).map((lease) => {
    const { address, mac } = toRecord(lease)
    return `${address},${mac},,${vlan.leaseSeconds},${Math.floor(lease.expiresMs / 1000)},1,0,0,,0,`
  })
  writeFileSync(join(directory, 'leases.csv'), `${[columns, ...lines].join('\n')}\n`)
}

type WriteLeases = (directory: string) => void

/** From when its leases are written until it listens; how often that could be done in a second. */
export async function restart(
  writeLeases: WriteLeases,
  start: (prepare: WriteLeases) => Promise<RunningContender>,
): Promise<Outcome> {
  let beganMs = 0
  const server = await start((directory) => {
    writeLeases(directory)
    beganMs = performance.now()
  })
  const perSecond = 1000 / (performance.now() - beganMs)
  await server.stop()
  return { operations: 1, perSecond, lostShare: 0 }
}
