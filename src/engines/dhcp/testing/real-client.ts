import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningProcess, startProcess } from '../../../lab/host/process.ts'
import type { Ledger } from '../../../lab/ledger/ledger.ts'
import { inNamespace } from '../../../lab/network/build.ts'
import { until } from '../../../lab/testing.ts'

export const clientPrograms = ['dhclient', 'udhcpc', 'dhcpcd'] as const
export type ClientProgram = (typeof clientPrograms)[number]

const hook = join(import.meta.dirname, 'client-hook.sh')
const releaseSignals: Record<ClientProgram, NodeJS.Signals> = {
  dhclient: 'SIGTERM',
  udhcpc: 'SIGUSR2',
  dhcpcd: 'SIGALRM',
}

/** What a client was told, as the hook wrote it: `BOUND`, and its fields by name. */
export interface ClientReport {
  readonly happened: string
  readonly fields: Readonly<Record<string, string>>
}

/** A machine in a namespace of its own whose DHCP client can be booted, switched off and booted again. */
export class RealClient {
  readonly #ledger: Ledger
  readonly #directory: string
  readonly #reportFile: string
  #process: RunningProcess | undefined
  readonly program: ClientProgram
  readonly namespace: string

  constructor(ledger: Ledger, program: ClientProgram, namespace: string) {
    this.#ledger = ledger
    this.program = program
    this.namespace = namespace
    this.#directory = join(ledger.directory, `client-${namespace}`)
    this.#reportFile = join(this.#directory, 'reports')
    mkdirSync(this.#directory)
    writeFileSync(this.#reportFile, '')
  }

  reports(): ClientReport[] {
    const lines = readFileSync(this.#reportFile, 'utf8').split('\n').filter(Boolean)
    return lines.map((line) => {
      const [happened = '', ...fields] = line.split(' ')
      return { happened, fields: Object.fromEntries(fields.map((field) => field.split('='))) }
    })
  }

  /** The next report after those there are, of one of these kinds (upper or lower case). */
  async next(...kinds: string[]): Promise<ClientReport> {
    const seen = this.reports().length
    return this.#reportAfter(seen, kinds)
  }

  /** Switches on; the client remembers what it had before. Returns what it got. */
  async boot(options: { readonly wish?: string } = {}): Promise<ClientReport> {
    const seen = this.reports().length
    this.#process = startProcess(this.#ledger, {
      what: `${this.program} in ${this.namespace}`,
      command: inNamespace(this.namespace, this.#command(options.wish)),
      env: { OOOI_REPORT: this.#reportFile, OOOI_CLIENT: this.program },
      logFile: join(this.#directory, 'log'),
      graceMs: 0,
    })
    return this.#reportAfter(seen, ['bound', 'reboot'])
  }

  log(): string {
    return readFileSync(join(this.#directory, 'log'), 'utf8')
  }

  /** The power goes: nothing is said to the server. */
  async powerOff(): Promise<void> {
    await this.#process?.stop()
  }

  async release(): Promise<void> {
    const process = this.#process
    if (this.program === 'dhclient') {
      await process?.stop()
      const command = inNamespace(this.namespace, [...this.#command(undefined), '-r'])
      await startProcess(this.#ledger, {
        what: `release of ${this.namespace}`,
        command,
        logFile: join(this.#directory, 'log'),
        graceMs: 0,
      }).ended
      return
    }
    if (process) globalThis.process.kill(process.pid, releaseSignals[this.program])
  }

  /** dhclient comes up with the memory of a lease that it had elsewhere. */
  rememberElsewhere(address: string): void {
    const ends = '2 2050/01/01 00:00:00'
    const text = `lease {\n  interface "eth0";\n  fixed-address ${address};\n  option subnet-mask 255.255.255.0;\n  option dhcp-lease-time 4294967295;\n  option dhcp-server-identifier 10.99.99.1;\n  renew ${ends};\n  rebind ${ends};\n  expire ${ends};\n}\n`
    writeFileSync(join(this.#directory, 'dhclient.leases'), text)
  }

  #command(wish: string | undefined): string[] {
    const at = (name: string) => join(this.#directory, name)
    switch (this.program) {
      case 'dhclient': {
        const wanted =
          'subnet-mask, broadcast-address, routers, domain-name, domain-name-servers, host-name, interface-mtu, ntp-servers, domain-search'
        writeFileSync(at('dhclient.conf'), `timeout 30;\ninitial-interval 1;\nrequest ${wanted};\n`)
        appendFileSync(at('dhclient.leases'), '')
        const files = ['-cf', at('dhclient.conf'), '-lf', at('dhclient.leases'), '-pf', at('dhclient.pid'), '-sf', hook]
        const variables = ['-e', `OOOI_REPORT=${this.#reportFile}`, '-e', 'OOOI_CLIENT=dhclient']
        return ['dhclient', '-4', '-d', '-v', ...files, ...variables, 'eth0']
      }
      case 'udhcpc': {
        const wanted = ['hostname', 'mtu', 'domain', 'ntpsrv', 'search', 'staticroutes', 'tftp', 'bootfile']
        const asked = wanted.flatMap((name) => ['-O', name])
        return [
          'udhcpc',
          '-f',
          '-i',
          'eth0',
          '-s',
          hook,
          '-t',
          '30',
          '-T',
          '1',
          ...asked,
          ...(wish ? ['-r', wish] : []),
        ]
      }
      case 'dhcpcd':
        return this.#dhcpcd()
    }
  }

  /** dhcpcd has fixed places for its files: in a mount namespace they are its own, and its memory stays in `state`. */
  #dhcpcd(): string[] {
    const wanted = 'domain_name_servers, domain_name, host_name, routers, interface_mtu'
    writeFileSync(join(this.#directory, 'dhcpcd.conf'), `option ${wanted}\nnoarp\n`)
    mkdirSync(join(this.#directory, 'state'), { recursive: true })
    const variables = ['-e', 'OOOI_REPORT=/mnt/reports', '-e', 'OOOI_CLIENT=dhcpcd']
    const files = ['-f', '/mnt/dhcpcd.conf', '-c', hook, ...variables]
    const command = ['dhcpcd', '-4', '-B', '--nodev', '--noipv4ll', '-t', '30', ...files, 'eth0']
    const mounts = [
      'mount --bind "$1" /mnt',
      'mount --bind /mnt/state /var/lib/dhcpcd',
      'mount -t tmpfs tmpfs /run',
      'mount -t sysfs sysfs /sys',
    ]
    const script = `${mounts.join(' && ')} && shift && exec "$@"`
    const shell = ['/bin/sh', '-c', script, 'sh', this.#directory]
    return ['unshare', '--mount', '--propagation', 'slave', '--', ...shell, ...command]
  }

  #reportAfter(seen: number, kinds: readonly string[]): Promise<ClientReport> {
    return until(`${kinds.join(' or ')} of ${this.program}`, () =>
      this.reports()
        .slice(seen)
        .find((report) => kinds.includes(report.happened.toLowerCase())),
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${this.log()}`)
    })
  }
}
