import { mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { freePorts } from '../../../test/envtest/ports.ts'
import { findCoredns } from '../../../tools/coredns/coredns.ts'
import type { DNSServer } from '../../api/dnsserver.ts'
import { bootstrapCorefile } from '../../core/coredns/bootstrap.ts'
import { until } from '../../lab/testing.ts'
import { createLogger } from '../../runtime/observe/log.ts'
import { Metrics } from '../../runtime/observe/metrics.ts'
import { askAll } from '../dns/compare-for-tests.ts'
import { dnsServer, domain, outcome, query } from '../dns/testing.ts'
import type { Engine } from '../engine.ts'
import { KeptProgram } from '../kept-program.ts'
import { type CorednsEngineStatus, createCorednsEngine } from './engine.ts'

/** CoreDNS in a container of its own: it starts when it pleases, and ends when it pleases. */

const address = { vlan: '127.53.9.3', pod: '127.53.10.5' }
const silent = openSync('/dev/null', 'w')
const log = createLogger('silent', process.stderr)
let directory: string
let port: number
let healthPort: number
let readyPort: number
let metricsPort: number
let engine: Engine<DNSServer, CorednsEngineStatus>
let coredns: KeptProgram

function server(ip: string, generation: number, change: object = {}): DNSServer {
  const networkConfig = { serverIP: address.vlan, proxyIP: '127.53.9.10', internalProxyIP: '172.30.0.10' }
  const secondaryNetworkCIDR = '127.53.9.0/24'
  return dnsServer(
    {
      networkConfig: { ...networkConfig, secondaryNetworkCIDR, dnsPort: port },
      staticEntries: [{ hostname: `api.${domain}`, ip }],
      forwarding: { enabled: false },
      reloadInterval: '2s',
      ...change,
    },
    undefined,
    generation,
  )
}

async function startProgram(): Promise<void> {
  const health = `127.0.0.1:${healthPort}`
  const file = join(directory, 'bootstrap')
  await writeFile(file, bootstrapCorefile({ port, directory: join(directory, 'coredns'), health }))
  coredns = new KeptProgram({
    name: 'CoreDNS',
    command: [await findCoredns(process.env), '-conf', file],
    log,
    outputFd: silent,
  })
  coredns.start()
}

/** Asked politely, it would wait five seconds for those who still have its address. */
function stopProgram(): Promise<void> | undefined {
  return coredns?.stop(async () => {
    if (coredns.pid !== undefined) process.kill(coredns.pid, 'SIGKILL')
  })
}

const answers = (name: string, wanted: string) =>
  until(`${name} to be ${wanted}`, async () => {
    const [reply] = await askAll({ address: address.vlan, port }, [query(name, 'A', { id: 0 })])
    return outcome(reply ?? new Uint8Array(12)).answers.join() === `${name} A ${wanted}` || undefined
  })
const served = (generation: number) =>
  until(`generation ${generation}`, () => (engine.status().servingGeneration === generation ? true : undefined))
const says = (at: number, path: string) =>
  fetch(`http://127.0.0.1:${at}${path}`).then(
    (answer) => answer.text(),
    () => '',
  )

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'oooi-coredns-'))
  ;[port = 0, healthPort = 0, readyPort = 0, metricsPort = 0] = await freePorts(4)
  engine = createCorednsEngine({
    log,
    metrics: new Metrics(),
    now: Date.now,
    podAddresses: [address.pod],
    stateDir: directory,
    observe: { metrics: `127.0.0.1:${metricsPort}`, ready: `127.0.0.1:${readyPort}` },
    patienceMs: 1000,
  })
})
afterEach(async () => {
  await engine.stop(0)
  await stopProgram()
  rmSync(directory, { recursive: true, force: true })
})
afterAll(() => stopProgram())

it('may start before anybody told it what to serve: alive, but not ready', async () => {
  await startProgram()
  await until('health', async () => ((await says(healthPort, '/health')) === 'OK' ? true : undefined))
  expect(await says(readyPort, '/ready')).toBe('')
  await engine.apply(server('127.53.9.20', 1))
  expect(engine.status().servingGeneration).toBeUndefined()
  await served(1)
  await answers(`api.${domain}`, '127.53.9.20')
  await until('ready', async () => ((await says(readyPort, '/ready')) === 'OK' ? true : undefined))
  expect(await says(metricsPort, '/metrics')).toContain('coredns_dns_requests_total')
  expect(await says(healthPort, '/health')).toBe('OK')
})

it('may start late or be killed: until it serves, that is a problem; then it serves the newest', async () => {
  await engine.apply(server('127.53.9.20', 1))
  const absent = await until('the problem', () => engine.status().problems[0])
  expect(absent).toMatchObject({ reason: 'CorednsNotServing', message: expect.stringContaining('does not answer') })
  await startProgram()
  await served(1)
  expect(engine.status().problems).toEqual([])
  process.kill(coredns.pid ?? 0, 'SIGKILL')
  await engine.apply(server('127.53.9.21', 2))
  await served(2)
  await answers(`api.${domain}`, '127.53.9.21')
})

it('keeps what it has when it cannot serve the next, and that is said', async () => {
  await startProgram()
  await engine.apply(server('127.53.9.20', 1))
  await served(1)
  const nowhere = { serverIP: '192.0.2.3', proxyIP: '192.0.2.10', dnsPort: port }
  await engine.apply(server('127.53.9.21', 2, { networkConfig: nowhere }))
  const problem = await until('the problem', () => engine.status().problems[0])
  expect(problem).toMatchObject({ reason: 'CorednsNotServing', message: expect.stringContaining('Corefile') })
  expect(engine.status().servingGeneration).toBe(1)
  await engine.apply(server('127.53.9.22', 3))
  await served(3)
  await answers(`api.${domain}`, '127.53.9.22')
})

it('writes only what changed, and takes away what nobody reads any more', async () => {
  await startProgram()
  await engine.apply(server('127.53.9.20', 1, { additionalDomains: ['c2.example.net'] }))
  await served(1)
  const zones = () => readdirSync(join(directory, 'coredns')).filter((file) => file.startsWith('db.vlan'))
  expect(zones()).toHaveLength(3)
  await engine.apply(server('127.53.9.20', 2))
  await served(2)
  await until('two zones', () => (zones().length === 2 ? true : undefined))
})
