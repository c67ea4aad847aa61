import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../../lab/host/command.ts'
import { type RunningProcess, startProcess } from '../../../lab/host/process.ts'
import { ordinaryUser } from '../../../lab/host/userns.ts'
import { Ledger } from '../../../lab/ledger/ledger.ts'
import { buildNetwork, inNamespace, setSysctl } from '../../../lab/network/build.ts'
import { asOrdinaryUser } from '../../../lab/oooi.ts'
import { until } from '../../../lab/testing.ts'
import type { LeaseRecord } from '../leases/lease-record.ts'
import { type ClientProgram, clientPrograms, RealClient } from './real-client.ts'
import { dhcpServer } from './vlan.ts'

const checkout = join(import.meta.dirname, '../../../..')

/** A /28, as a manifest says it. */
export const smallNetwork = {
  cidr: '192.168.100.16/28',
  serverIP: '192.168.100.18',
  gateway: '192.168.100.17',
  dnsServers: ['192.168.100.18'],
  range: ['192.168.100.20', '192.168.100.30'],
} satisfies Parameters<typeof dhcpServer>[0]

/**
 * A server with two legs, as in its pod: eth0 with the default route on the pod network, net1 on the VLAN. It runs as an
 * ordinary user without capabilities. On the VLAN is one machine for each DHCP client, on the pod network a stranger.
 */
export class RealVlan {
  readonly ledger: Ledger
  readonly stateDir: string
  readonly #manifest: string
  readonly clients: Readonly<Record<ClientProgram, RealClient>>
  readonly stranger: RealClient
  #server: RunningProcess | undefined

  private constructor(ledger: Ledger) {
    this.ledger = ledger
    this.stateDir = join(ledger.directory, 'state')
    this.#manifest = join(ledger.directory, 'dhcp.json')
    mkdirSync(this.stateDir)
    chownSync(this.stateDir, ordinaryUser, ordinaryUser)
    const client = (program: ClientProgram) => new RealClient(ledger, program, `${ledger.id}-${program}`)
    this.clients = { dhclient: client('dhclient'), udhcpc: client('udhcpc'), dhcpcd: client('dhcpcd') }
    this.stranger = new RealClient(ledger, 'udhcpc', `${ledger.id}-stranger`)
  }

  static async build({ cidr, serverIP }: { readonly cidr: string; readonly serverIP: string }): Promise<RealVlan> {
    const serverAddress = `${serverIP}/${cidr.split('/')[1]}`
    const vlan = new RealVlan(Ledger.create(Math.random))
    const [bridge, pods, server] = [vlan.#name('vlan'), vlan.#name('pods'), vlan.#name('server')]
    await buildNetwork(vlan.ledger, {
      bridges: [{ namespace: bridge }, { namespace: pods, address: '10.128.0.1/24' }],
      cables: [
        {
          namespace: server,
          interface: 'eth0',
          bridge: pods,
          port: 'server',
          addresses: ['10.128.0.2/24'],
          defaultGateway: '10.128.0.1',
        },
        { namespace: server, interface: 'net1', bridge, port: 'server', addresses: [serverAddress] },
        ...clientPrograms.map((program) => ({
          namespace: vlan.#name(program),
          interface: 'eth0',
          bridge,
          port: program,
          mac: macOf(program),
        })),
        { namespace: vlan.#name('stranger'), interface: 'eth0', bridge: pods, port: 'stranger', mac: strangerMac },
      ],
    })
    return vlan
  }

  /** Returns when it serves; `mayUsePorts: false` leaves out what an administrator has to do for it. */
  async serve(text: Parameters<typeof dhcpServer>[0], { mayUsePorts = true } = {}): Promise<RunningProcess> {
    const { ledger } = this
    writeFileSync(this.#manifest, JSON.stringify(dhcpServer(text)))
    if (mayUsePorts) await setSysctl(this.#name('server'), 'net/ipv4/ip_unprivileged_port_start', '0')
    const lines: string[] = []
    const visible = join(ledger.directory, 'checkout')
    const oooi = [...asOrdinaryUser(checkout, visible), join(visible, 'bin/oooi')]
    const command = ['dhcp', '--config', this.#manifest, '--state-dir', this.stateDir]
    this.#server = startProcess(ledger, {
      what: 'server',
      command: inNamespace(this.#name('server'), [...oooi, ...command]),
      logFile: join(ledger.directory, 'server.log'),
      onLine: (line) => lines.push(line),
      graceMs: 5000,
    })
    const server = this.#server
    if (mayUsePorts) {
      await until('the server to serve', () => {
        if (server.hasEnded()) throw new Error(lines.join('\n'))
        return lines.some((line) => line.includes('"serving"')) ? true : undefined
      })
    }
    return server
  }

  /** A change of the file is served at once. */
  change(text: Parameters<typeof dhcpServer>[0]): void {
    writeFileSync(this.#manifest, JSON.stringify(dhcpServer(text)))
  }

  async killServer(): Promise<void> {
    const server = this.#server
    if (server === undefined) return
    process.kill(server.pid, 'SIGKILL')
    await server.ended
  }

  /** What `oooi leases` says. */
  async leases(): Promise<LeaseRecord[]> {
    const output = await run(join(checkout, 'bin/oooi'), ['leases', '--state-dir', this.stateDir, '-o', 'json'])
    return JSON.parse(output)
  }

  async leaseOf(program: ClientProgram): Promise<LeaseRecord | undefined> {
    return (await this.leases()).find((lease) => lease.mac === macOf(program))
  }

  /** Catches DHCP that leaves the server's interface; the function returned ends that and gives it as text. */
  async catchLeaving(networkInterface: string): Promise<() => Promise<string>> {
    const file = join(this.ledger.directory, `${networkInterface}.pcap`)
    const what = ['tcpdump', '-i', networkInterface, '-Q', 'out', '-U', '-w', file, 'udp port 67 or udp port 68']
    const lines: string[] = []
    const capture = startProcess(this.ledger, {
      what: `capture on ${networkInterface}`,
      command: inNamespace(this.#name('server'), what),
      logFile: join(this.ledger.directory, `${networkInterface}.log`),
      onLine: (line) => lines.push(line),
      graceMs: 5000,
    })
    await until('tcpdump to listen', () => (lines.some((line) => line.includes('listening on')) ? true : undefined))
    return async () => {
      await capture.stop()
      return run('tcpdump', ['-n', '-v', '-r', file])
    }
  }

  #name(what: string): string {
    return `${this.ledger.id}-${what}`
  }
}

export const strangerMac = '02:00:00:00:00:99'

export function macOf(program: ClientProgram): string {
  return `02:00:00:00:00:0${clientPrograms.indexOf(program) + 1}`
}
