import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { run, toolPath } from '../../src/lab/host/command.ts'
import { until } from '../../src/lab/testing.ts'
import { type Machine, useMachine } from './machine.ts'
import { layVlan, type VlanClient } from './vlan.ts'

const checkout = join(import.meta.dirname, '..', '..')
const config = (path: string) => readFileSync(join(checkout, 'config', path), 'utf8')

export const unit = config('systemd/oooi@.service')

/** The sample, as Infra c1. */
const infra = config('samples/standalone/infra.yaml').replace(/^( {2}name: )my-cluster$/m, '$1c1')

/** The address that is reserved for nobody else, and the name of the machine with this card. */
export const nodeMac = '02:00:00:00:00:01'
export const nodeLease = '192.168.100.100 worker-1'

/** A machine on which oooi is installed as the how-to says, a node on its VLAN, and the control plane of that node. */
export interface Installed {
  readonly machine: Machine
  readonly vlan: VlanClient
  /** The node asks for an address. */
  readonly lease: () => Promise<string>
  /** A TLS stream of the node through the proxy; every line comes back reversed. */
  readonly stream: () => { readonly answer: (line: string) => Promise<string>; readonly end: () => void }
  /** `systemctl start`; if it fails, in the words of the service. */
  readonly start: (unit: string) => Promise<void>
  readonly serves: (instance: string) => Promise<unknown>
  readonly property: (unit: string, name: string) => Promise<string>
  readonly entries: (...matches: string[]) => Promise<Record<string, string | string[]>[]>
}

export function useInstalled(files: Readonly<Record<string, string>> = {}): () => Installed {
  const machine = useMachine({
    '/etc/systemd/system/oooi@.service': unit,
    '/usr/lib/sysusers.d/oooi.conf': config('systemd/oooi.sysusers'),
    '/etc/oooi/infra.d/c1.yaml': infra,
    ...files,
  })
  const scripts = mkdtempSync(join(tmpdir(), 'oooi-installed-'))
  let vlan: VlanClient | undefined
  let apiServer: ChildProcess | undefined
  beforeAll(async () => {
    vlan = await layVlan(machine(), '192.168.100.2/24')
    await vlan.run('ip', 'link', 'set', 'eth0', 'address', nodeMac)
    const [command = '', ...args] = machine().onItsNetwork(['ip', 'address', 'add', '10.0.0.10/32', 'dev', 'lo'])
    await run(command, args)
    apiServer = await startApiServer(machine(), scripts)
    const lease = join(scripts, 'lease.sh')
    writeFileSync(lease, '#!/bin/sh\n[ "$1" != bound ] || echo "lease $ip $hostname"\n')
    chmodSync(lease, 0o755)
  })
  afterAll(() => {
    apiServer?.kill('SIGKILL')
    vlan?.stop()
    rmSync(scripts, { recursive: true })
  })
  return () => {
    if (!vlan) throw new Error('the node is there inside tests and hooks only')
    return installed(machine(), vlan, join(scripts, 'lease.sh'))
  }
}

function installed(machine: Machine, vlan: VlanClient, leaseScript: string): Installed {
  const property = async (name: string, what: string) =>
    (await machine.run('systemctl', 'show', '-P', what, name)).trim()
  const entries = async (...matches: string[]) => {
    const lines = await machine.run('journalctl', '--output=json', ...matches)
    return lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  }
  return {
    machine,
    vlan,
    property,
    entries,
    lease: async () => {
      // The service is started by this very packet, which on a busy machine takes its time.
      const patience = ['-f', '-n', '-q', '-t', '40', '-T', '1']
      return /lease (.*)/.exec(await vlan.run('udhcpc', '-i', 'eth0', ...patience, '-s', leaseScript))?.[1] ?? 'none'
    },
    stream: () => {
      const where = ['-connect', '192.168.100.2:6443', '-servername', 'api.my-cluster.example.com', '-quiet']
      const child = vlan.start('openssl', 's_client', ...where)
      const answer = async (line: string) => {
        const [chunk] = await Promise.all([once(child.stdout ?? child, 'data'), child.stdin?.write(`${line}\n`)])
        return String(chunk[0]).trim()
      }
      return { answer, end: () => void child.kill('SIGKILL') }
    },
    start: async (name) => {
      if ((await machine.ask('systemctl', 'start', name)).exitCode === 0) return
      throw new Error(await machine.run('journalctl', '-u', name, '-o', 'cat'))
    },
    serves: (instance) =>
      until(`oooi@${instance} to serve`, async () => {
        const said = await entries('-u', `oooi@${instance}`)
        if ((await property(`oooi@${instance}`, 'ActiveState')) === 'failed') {
          throw new Error(said.map(({ MESSAGE }) => MESSAGE).join('\n'))
        }
        return said.find(({ MESSAGE }) => String(MESSAGE).startsWith('serving'))
      }),
  }
}

/** Sends every line back reversed. */
async function startApiServer(machine: Machine, directory: string): Promise<ChildProcess> {
  const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')]
  const subject = ['-subj', '/CN=api', '-days', '2', '-keyout', key, '-out', certificate]
  await run('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', ...subject])
  const serve = ['s_server', '-accept', '10.0.0.10:6443', '-key', key, '-cert', certificate, '-rev', '-quiet']
  const [command = '', ...args] = machine.onItsNetwork(['setpriv', '--pdeathsig', 'KILL', 'openssl', ...serve])
  return spawn(command, args, { stdio: 'ignore', env: { PATH: toolPath } })
}
