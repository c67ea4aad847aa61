import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, startServer } from '../bench.ts'
import type { RunningContender } from '../harness.ts'
import { isListening } from '../listening.ts'
import { type EnginePlan, startOooi } from '../oooi.ts'
import { address, vlan } from './network.ts'

function isServing(where: string): (pid: number) => Promise<boolean> {
  return (pid) => isListening(pid, 'udp', where, 67)
}

type Prepared = Pick<EnginePlan, 'prepare' | 'bundle'>

export function startOurs(bench: Bench, namespace: string, prepared: Prepared = {}): Promise<RunningContender> {
  const spec = {
    networkConfig: {
      cidr: vlan.cidr,
      gateway: vlan.gateway,
      serverIP: address.oooi,
      dnsServers: [vlan.dnsServer],
    },
    // Kea 2.2 probes nobody either.
    probe: { enabled: false },
    leaseConfig: { rangeStart: vlan.rangeStart, rangeEnd: vlan.rangeEnd, leaseTime: `${vlan.leaseSeconds}s` },
    clientOptions: { domainName: vlan.domain },
  }
  const isReady = isServing(address.oooi)
  return startOooi(bench, { engine: 'dhcp', kind: 'DHCPServer', spec, namespace, ...prepared, isReady })
}

/** In its fastest mode: UDP sockets, no threads, leases in a file that is written and never synced. */
export function startKea(
  bench: Bench,
  namespace: string,
  preload: string,
  prepare: (directory: string) => void = () => undefined,
): Promise<RunningContender> {
  const directory = join(bench.directory, 'kea')
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory)
  const leases = join(directory, 'leases.csv')
  const configuration = {
    Dhcp4: {
      'interfaces-config': { interfaces: ['net1'], 'dhcp-socket-type': 'udp' },
      'lease-database': { type: 'memfile', persist: true, name: leases, 'lfc-interval': 0 },
      'multi-threading': { 'enable-multi-threading': false },
      authoritative: true,
      'valid-lifetime': vlan.leaseSeconds,
      'renew-timer': vlan.leaseSeconds / 2,
      'rebind-timer': (vlan.leaseSeconds * 7) / 8,
      subnet4: [
        {
          subnet: vlan.cidr,
          pools: [{ pool: `${vlan.rangeStart}-${vlan.rangeEnd}` }],
          'option-data': [
            { name: 'routers', data: vlan.gateway },
            { name: 'domain-name-servers', data: vlan.dnsServer },
            { name: 'domain-name', data: vlan.domain },
            { name: 'broadcast-address', data: '10.79.255.255' },
          ],
        },
      ],
      loggers: [{ name: 'kea-dhcp4', severity: 'WARN', output_options: [{ output: 'stderr' }] }],
    },
  }
  prepare(directory)
  const file = join(directory, 'kea.json')
  writeFileSync(file, JSON.stringify(configuration))
  const env = { KEA_LOCKFILE_DIR: directory, KEA_PIDFILE_DIR: directory, LD_PRELOAD: preload }
  const command = ['kea-dhcp4', '-c', file]
  return startServer(bench, { what: 'kea', namespace, command, env, isReady: isServing(address.kea) })
}
