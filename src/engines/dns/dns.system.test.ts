import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DNSServer } from '../../api/dnsserver.ts'
import { asOrdinaryUser } from '../../lab/oooi.ts'
import { dnsServer, domain, type SpecPatch } from './testing.ts'

/** A server with one leg on a VLAN and one on a pod network, and a machine on each; the clients are real ones. */
const prefix = `odns${process.pid}`
const server = `${prefix}-server`
const [vlanClient, podClient] = [`${prefix}-vlan`, `${prefix}-pod`]
const [vlanAddress, podAddress] = ['192.168.100.3', '10.128.0.5']
const run = promisify(execFile)
const checkout = join(import.meta.dirname, '..', '..', '..')

function ip(...args: readonly string[]): void {
  execFileSync('ip', args, { stdio: 'pipe' })
}

function connectTo(namespace: string, interfaceName: string, here: string, there: string): void {
  ip('netns', 'add', namespace)
  ip('-n', server, 'link', 'add', interfaceName, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace)
  ip('-n', server, 'address', 'add', here, 'dev', interfaceName)
  ip('-n', server, 'link', 'set', interfaceName, 'up')
  ip('-n', namespace, 'address', 'add', there, 'dev', 'eth0')
  ip('-n', namespace, 'link', 'set', 'eth0', 'up')
}

function inside(namespace: string, ...command: readonly string[]): string[] {
  return ['nsenter', `--net=/run/netns/${namespace}`, ...command]
}

/** The engine in the server's namespace, as an ordinary user. */
class EngineProcess {
  readonly #child: ChildProcess
  readonly #results: ((line: string) => void)[] = []

  constructor() {
    const visible = (path: string): string => join('/mnt', relative(checkout, path))
    const program = [visible(process.execPath), visible(join(import.meta.dirname, 'serve-for-tests.ts')), podAddress]
    const user = asOrdinaryUser(checkout, '/mnt')
    const [command = '', ...args] = inside(server, ...user, ...program)
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], cwd: '/' })
    if (this.#child.stdout) createInterface(this.#child.stdout).on('line', (line) => this.#results.shift()?.(line))
  }

  apply(resource: DNSServer): Promise<unknown> {
    return new Promise((resolve) => {
      this.#results.push((line) => resolve(JSON.parse(line)))
      this.#child.stdin?.write(`${JSON.stringify(resource)}\n`)
    })
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#child.once('close', resolve))
    this.#child.stdin?.end()
    await closed
  }
}

function resource(patch: SpecPatch = {}, vmAddress = '192.168.100.60'): DNSServer {
  const big = Array.from({ length: 100 }, (_, index) => ({ hostname: `big.${domain}`, ip: `10.1.0.${index}` }))
  const staticEntries = [
    ...['api', 'api-int', 'ignition'].map((name) => ({ hostname: `${name}.${domain}`, ip: '192.168.100.10' })),
    { hostname: `*.apps.${domain}`, ip: '192.168.100.50' },
    ...big,
  ]
  const resolved = { records: [{ hostname: `vm1.${domain}`, addresses: [vmAddress] }] }
  return dnsServer({ staticEntries, ...patch }, { resolved })
}

/** What dig prints, asked from one of the two machines. */
async function dig(from: 'vlan' | 'pod', ...args: readonly string[]): Promise<string> {
  const [namespace, at] = from === 'vlan' ? [vlanClient, vlanAddress] : [podClient, podAddress]
  const [command = '', ...rest] = inside(namespace, 'dig', `@${at}`, '+tries=1', '+time=5', ...args)
  const { stdout } = await run(command, rest)
  return stdout
}

/** What another program prints, run on the VLAN. */
async function client(program: string, ...args: readonly string[]): Promise<string> {
  const [command = '', ...rest] = inside(vlanClient, program, ...args)
  const { stdout } = await run(command, rest, { maxBuffer: 1 << 24 })
  return stdout
}

async function short(from: 'vlan' | 'pod', ...args: readonly string[]): Promise<string[]> {
  return (await dig(from, '+short', ...args)).trim().split('\n')
}

/** One server, at a private address, that also forwards. */
const inherent = /Private-Use|not list enough|is a recursor/

const setPortStart = (port: number) =>
  execFileSync('ip', ['netns', 'exec', server, 'sysctl', '-qw', `net.ipv4.ip_unprivileged_port_start=${port}`])

describe('both views at once, with dig', () => {
  let engine: EngineProcess
  const directory = mkdtempSync(join(tmpdir(), prefix))

  beforeAll(async () => {
    ip('netns', 'add', server)
    ip('-n', server, 'link', 'set', 'lo', 'up')
    connectTo(vlanClient, 'net1', `${vlanAddress}/24`, '192.168.100.60/24')
    connectTo(podClient, 'eth0', `${podAddress}/24`, '10.128.0.9/24')
    setPortStart(1024)
    engine = new EngineProcess()
  })

  afterAll(async () => {
    await engine?.stop()
    for (const namespace of [vlanClient, podClient, server]) {
      try {
        ip('netns', 'delete', namespace)
      } catch {
        // It was not made.
      }
    }
    rmSync(directory, { recursive: true, force: true })
  })

  let isServing = false
  it('needs the right to the port, and says so; with it, no root', async () => {
    if (isServing) {
      await engine.stop()
      setPortStart(1024)
      engine = new EngineProcess()
    }
    const message = `The DNS server cannot listen on ${vlanAddress} port 53: this user may not`
    expect(await engine.apply(resource())).toMatchObject({
      problems: [{ reason: 'PermissionDenied', message: expect.stringContaining(message) }, {}],
    })
    setPortStart(0)
    isServing = true
    expect(await engine.apply(resource())).toEqual({ ok: true })
  })

  it('gives each side its own answer, over UDP and TCP, with and without EDNS', async () => {
    for (const option of [
      [],
      ['+tcp'],
      ['+noedns'],
      ['+edns=0', '+bufsize=4096'],
      ['+dnssec'],
      ['+subnet=192.0.2.0/24'],
      ['+cookie'],
    ]) {
      expect(await short('vlan', `api.${domain}`, ...option)).toEqual(['192.168.100.10'])
      expect(await short('pod', `api.${domain}`, ...option)).toEqual(['172.30.0.10'])
      expect(await short('pod', `any.thing.apps.${domain}`, ...option)).toEqual(['192.168.100.50'])
    }
  })

  it('has names for addresses', async () => {
    expect(await short('vlan', '-x', '192.168.100.60')).toEqual([`vm1.${domain}.`])
    expect(await short('vlan', '-x', '192.168.100.10')).toEqual([`api.${domain}.`])
    expect(await dig('vlan', '-x', '192.168.100.61')).toMatch(
      /status: NXDOMAIN.*flags: qr aa.*100\.168\.192\.in-addr\.arpa\..*SOA/s,
    )
  })

  it.each([
    [[`nope.${domain}`], /status: NXDOMAIN.*flags: qr aa rd ra;.*AUTHORITY: 1.*\sSOA\s/s],
    [[`api.${domain}`, 'AAAA'], /status: NOERROR.*flags: qr aa rd ra;.*ANSWER: 0, AUTHORITY: 1.*\sSOA\s/s],
    [[`apps.${domain}`], /status: NOERROR.*ANSWER: 0, AUTHORITY: 1/s],
    [[`api.${domain}`, 'ANY', '+notcp'], /HINFO\s+"RFC8482" ""/],
    [['version.bind', 'CH', 'TXT'], /status: REFUSED/],
    [[`api.${domain}`, 'HS', 'A'], /status: REFUSED/],
    [[domain, 'AXFR', '+tcp'], /Transfer failed/],
    [[`api.${domain}`, '+opcode=2'], /status: NOTIMP/],
    [[`api.${domain}`, '+edns=1', '+noednsneg'], /status: BADVERS/],
    [[`big.${domain}`, '+noedns', '+ignore'], /flags: qr aa tc rd ra;.*ANSWER: 0/s],
    [[`big.${domain}`, '+bufsize=1232', '+ignore'], /flags: qr aa tc rd ra;.*ANSWER: 0/s],
    [[`big.${domain}`], /Truncated, retrying in TCP.*ANSWER: 100/s],
    [['www.example.net'], /status: NOERROR.*flags: qr rd ra;.*192\.0\.2\.1/s],
    [['www.example.net', '+norec'], /status: REFUSED.*EDE: 20/s],
    [['kubernetes.default.svc.cluster.local'], /status: REFUSED.*EDE: 18/s],
    [[`ApI.c1.eXAmple.com`], /^ApI\.c1\.eXAmple\.com\.\s+30\s+IN\s+A\s+192\.168\.100\.10$/m],
  ])('dig %s', async (args, expected) => {
    expect(await dig('vlan', ...args)).toMatch(expected)
  })

  it('gives cookies that dig, kdig and the next query accept', async () => {
    const [, cookie = ''] = /COOKIE: (\w+) \(good\)/.exec(await dig('vlan', '+cookie', `api.${domain}`)) ?? []
    expect(cookie).toHaveLength(48)
    expect(await dig('vlan', `+cookie=${cookie}`, `api.${domain}`)).toContain(`COOKIE: ${cookie} (good)`)
    const other = await dig('pod', `+cookie=${cookie}`, `api.${domain}`)
    expect(other).toMatch(new RegExp(`COOKIE: ${cookie.slice(0, 16)}\\w{32} \\(good\\)`))
    expect(other).not.toContain(`COOKIE: ${cookie}`)
    expect(await client('kdig', `@${vlanAddress}`, '+cookie', `api.${domain}`)).toMatch(/status: NOERROR/)
  })

  it.each([
    ['kdig', [`@${vlanAddress}`, `api.${domain}`], /IN\s+A\s+192\.168\.100\.10/],
    ['kdig', [`@${vlanAddress}`, '+tcp', `x.y.apps.${domain}`], /IN\s+A\s+192\.168\.100\.50/],
    ['kdig', [`@${vlanAddress}`, '-x', '192.168.100.60'], /PTR\s+vm1\./],
    ['drill', [`@${vlanAddress}`, `api.${domain}`], /rcode: NOERROR.*192\.168\.100\.10/s],
    ['drill', [`@${vlanAddress}`, `nope.${domain}`], /rcode: NXDOMAIN.*SOA/s],
    ['delv', [`@${vlanAddress}`, '-i', `api.${domain}`], /authoritative.*192\.168\.100\.10/s],
  ])('%s %j', async (program, args, expected) => {
    expect(await client(program, ...args)).toMatch(expected)
  })

  it('dnsviz finds nothing to warn of', async () => {
    const zone = `${domain}+:ns.${domain}=${vlanAddress}`
    const probe = await client('dnsviz', 'probe', '-4', '-A', '-x', zone, domain, `api.${domain}`)
    const file = join(directory, 'probe.json')
    writeFileSync(file, probe)
    const { stdout } = await run('dnsviz', ['grok', '-l', 'warning', '-r', file])
    expect(JSON.parse(stdout || '{}')).toEqual({})
  })

  it('zonemaster finds nothing wrong but what a server in a closed network cannot have', async () => {
    const hints = join(directory, 'hints')
    writeFileSync(hints, `. 3600 IN NS ns.${domain}.\nns.${domain}. 3600 IN A ${vlanAddress}\n`)
    const server = ['--hints', hints, '--ns', `ns.${domain}/${vlanAddress}`]
    const report = await client('zonemaster-cli', '--no-progress', '--no-time', '--level', 'WARNING', ...server, domain)
    const isFinding = (line: string) => /^(WARNING|ERROR|CRITICAL)/.test(line) && !inherent.test(line)
    expect(report.split('\n').filter(isFinding)).toEqual([])
    expect(report).toContain('is a recursor')
  })

  it('loses no query while its records change', async () => {
    const names = ['api', 'ignition', 'vm1', 'x.apps'].map((name) => `${name}.${domain}`)
    const count = 1500
    const file = join(directory, 'queries')
    writeFileSync(file, Array.from({ length: count }, (_, index) => `${names[index % names.length]} A\n`).join(''))
    let isDone = false
    const load = Promise.all(
      (['vlan', 'pod'] as const).map((side) => dig(side, '+noall', '+answer', '-f', file)),
    ).finally(() => {
      isDone = true
    })
    let applied = 0
    while (!isDone) {
      const patch = applied % 2 === 0 ? {} : { cacheTTL: '1m', additionalDomains: [`n${applied}.test`] }
      await engine.apply(resource(patch, `192.168.100.${60 + (applied % 9)}`))
      applied++
    }
    for (const output of await load) {
      expect(
        output
          .trim()
          .split('\n')
          .filter((line) => /\sA\s/.test(line)),
      ).toHaveLength(count)
      expect(output).not.toContain('timed out')
    }
    expect(applied).toBeGreaterThan(10)
  })
})
