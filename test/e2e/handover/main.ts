import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '../../../src/lab/host/command.ts'
import { discoverers, dnsClients, openStream, proxyClients, renewers, steadily } from './clients.ts'

/**
 * Runs in a network namespace that is its own. Serves two VLANs with `oooi up`, replaces it twice under a steady stream of
 * queries, renewals, discoveries and connections, and prints what was asked and not answered at the first try.
 *
 * `file`: one Infra; `directory`: two of them. `sockets`: one, on sockets that were passed to this process from 3 on, and
 * are passed on, as systemd does; `crash`: the same, but the server is killed and started again. `programs`: one, with Envoy
 * and CoreDNS (ENVOY_BIN, COREDNS_BIN) instead of our own engines.
 */

const [mode = '', directory = '', secondsText = '5', passedText = '0'] = process.argv.slice(2)
const root = join(import.meta.dirname, '..', '..', '..')
const stateDir = join(directory, 'state')
const isDirectory = mode === 'directory'
const isCrash = mode === 'crash'
/** Nobody asks twice, so that the time tells nothing but how busy the machine is. */
const patienceMs = 15_000
/** How much of the full stream. While nobody reads, the kernel keeps some hundred datagrams for a socket, and no more. */
const share = isCrash ? 0.02 : 1
const vlans = isDirectory ? ['192.168.100', '192.168.101'] : ['192.168.100']

async function prepareNetwork(): Promise<void> {
  await run('ip', ['link', 'set', 'lo', 'up'])
  for (const address of ['10.0.0.10/32', '10.0.0.53/32']) {
    await run('ip', ['address', 'add', address, 'dev', 'lo'])
  }
  if (passedText === '0') {
    for (const [index, vlan] of vlans.entries()) {
      await run('ip', ['link', 'add', `vlan${index}`, 'type', 'veth', 'peer', `peer${index}`])
      await run('ip', ['link', 'set', `vlan${index}`, 'up'])
      await run('ip', ['link', 'set', `peer${index}`, 'up'])
      await run('ip', ['address', 'add', `${vlan}.2/24`, 'dev', `vlan${index}`])
    }
  }
  await run('ip', ['address', 'add', '192.168.100.9/32', 'dev', 'vlan0'])
  // As config/systemd/oooi.sysctl has it.
  await writeFile('/proc/sys/net/ipv4/tcp_migrate_req', '1')
}

async function writeInfras(): Promise<string> {
  const sample = await readFile(join(root, 'config', 'samples', 'standalone', 'infra.yaml'), 'utf8')
  const infra = withPrograms(sample).replace('/24\n', '/24\n    dnsServers: [10.0.0.53]\n')
  await mkdir(join(directory, 'infras'))
  const file = join(directory, 'infras', 'first.yaml')
  await writeFile(file, infra)
  if (!isDirectory) return file
  const second = infra.replaceAll('192.168.100.', '192.168.101.').replace(/^( {2}name: ).*$/m, '$1second')
  await writeFile(join(directory, 'infras', 'second.yaml'), second)
  return join(directory, 'infras')
}

function withPrograms(infra: string): string {
  if (mode !== 'programs') return infra
  return infra.replace('dns:\n', 'dns:\n      engine: coredns\n').replace('proxy:\n', 'proxy:\n      engine: envoy\n')
}

/** The control plane, and an upstream that takes its time: questions are under way at any moment. */
async function startBehind(): Promise<void> {
  const target = createServer((socket) => {
    socket.on('error', () => {})
    // Whoever says ping is a stream that stays.
    socket.on('data', (bytes) => (bytes.includes('ping') ? socket.write('pong') : socket.end('here')))
  })
  target.listen(6443, '10.0.0.10')
  await once(target, 'listening')
  const upstream = createSocket('udp4')
  upstream.on('message', (question, from) => {
    const answer = Buffer.concat([question.subarray(0, questionEnd(question)), answerRecord])
    answer.writeUInt16BE(0x8180, 2)
    answer.writeUInt16BE(1, 6)
    answer.writeUInt32BE(0, 8)
    setTimeout(() => upstream.send(answer, from.port, from.address), 60)
  })
  upstream.bind(53, '10.0.0.53')
  await once(upstream, 'listening')
}

/** A pointer to the name of the question, and 10.1.2.3 for a minute. */
const answerRecord = Buffer.from('c00c000100010000003c00040a010203', 'hex')

function questionEnd(question: Buffer): number {
  return question.indexOf(0, 12) + 5
}

/** Datagrams that the kernel dropped because somebody did not read for too long: on a busy machine that happens. */
async function overflows(): Promise<number> {
  const [names = [], values = []] = (await readFile('/proc/net/snmp', 'utf8'))
    .split('\n')
    .filter((line) => line.startsWith('Udp:'))
    .map((line) => line.split(' '))
  return Number(values[names.indexOf('RcvbufErrors')])
}

interface Server {
  readonly ended: Promise<number | null>
  kill(): void
}

async function startServer(file: string): Promise<Server> {
  const passed = Array.from({ length: Number(passedText) }, (_, index) => index + 3)
  const { ENVOY_BIN = '', COREDNS_BIN = '' } = process.env
  const programs = mode === 'programs' ? ['--envoy', ENVOY_BIN, '--coredns', COREDNS_BIN] : []
  const up = [
    'up',
    '-f',
    file,
    '--state-dir',
    stateDir,
    '--observe',
    '127.0.0.1:9440',
    '--drain',
    '1m',
    '--replace',
    ...programs,
  ]
  const environment = passed.length > 0 ? `LISTEN_FDS=${passed.length} LISTEN_PID=$$ ` : ''
  const child = spawn('sh', ['-c', `${environment}exec "$0" "$@"`, join(root, 'bin', 'oooi'), ...up], {
    stdio: ['ignore', 'ignore', 'pipe', ...passed],
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const serving = Promise.withResolvers<void>()
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (process.env.OOOI_TRACE) process.stderr.write(text)
    if (said.includes('"msg":"serving"')) serving.resolve()
  })
  void ended.then(() => serving.reject(new Error(said)))
  serving.promise.catch(() => {})
  await serving.promise
  return { ended, kill: () => child.kill('SIGKILL') }
}

await prepareNetwork()
const file = await writeInfras()
await startBehind()
let server = await startServer(file)

const clients = await Promise.all(
  vlans.map(async (vlan, index) => {
    const address = `${vlan}.2`
    const domain = 'my-cluster.example.com'
    return {
      dns: await dnsClients(patienceMs, address, address, [`api.${domain}`, `x#.apps.${domain}`, 'www#.example.net']),
      // One relay after the other: both want its port.
      renewals:
        index === 0
          ? await renewers(patienceMs, address, '192.168.100.9', 8, async (lease) => {
              await run('ip', ['address', 'add', `${lease}/32`, 'dev', 'vlan0'])
            })
          : undefined,
      discoveries: index === 0 ? await discoverers(patienceMs, address) : undefined,
      connections: proxyClients(patienceMs, address, 6443, `api.${domain}`),
    }
  }),
)
const stop = new AbortController()
const asking = clients.flatMap(({ dns, renewals, discoveries, connections }) => [
  steadily((1000 * share) / vlans.length, stop.signal, dns.ask),
  steadily((100 * share) / vlans.length, stop.signal, connections.ask),
  ...(renewals ? [steadily(100 * share, stop.signal, renewals.ask)] : []),
  ...(discoveries ? [steadily(20 * share, stop.signal, discoveries.ask)] : []),
])
const startedAtMs = performance.now()
await sleep(500)
const replaced: Server[] = []
for (let round = 0; round < 2; round++) {
  if (isCrash) {
    server.kill()
    await server.ended
    server = await startServer(file)
  } else {
    const before = server
    const streams = await Promise.all(vlans.map((vlan) => openStream(`${vlan}.2`, 6443, 'api.my-cluster.example.com')))
    server = await startServer(file)
    for (const stream of streams) await stream.carries()
    replaced.push(before)
  }
  await sleep(300)
}
await sleep(Math.max(0, Number(secondsText) * 1000 - (performance.now() - startedAtMs)))
stop.abort()
await Promise.all(asking)
const reports = []
for (const { dns, renewals, discoveries, connections } of clients) {
  const all = { dns, connections, ...(renewals && { renewals }), ...(discoveries && { discoveries }) }
  const entries = Object.entries(all)
  for (const [, { tally }] of entries) await tally.settled()
  reports.push(Object.fromEntries(entries.map(([name, { tally }]) => [name, tally.report()])))
}
for (const { ended } of replaced) {
  const code = await ended
  if (code !== 0) throw new Error(`a replaced process ended with ${code}`)
}
process.stdout.write(`${JSON.stringify({ reports, overflows: await overflows() })}\n`)
process.exit(0)
