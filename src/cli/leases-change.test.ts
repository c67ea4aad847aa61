import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pino } from 'pino'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { dhcpServerSchema } from '../api/dhcpserver.ts'
import { createDhcpEngine } from '../engines/dhcp/engine.ts'
import { journalPath } from '../engines/dhcp/journal/open.ts'
import { Metrics } from '../runtime/observe/metrics.ts'
import { createProgram, runProgram } from './program.ts'
import type { Terminal } from './terminal.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'oooi-leases-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
})

async function oooi(...args: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const terminal: Terminal = {
    stdin: new PassThrough(),
    stdout,
    stderr,
    env: {},
    interactive: false,
    userId: 1000,
    stop: new AbortController().signal,
    exitCode: 0,
  }
  await runProgram(createProgram(terminal), ['leases', ...args, '--state-dir', join(directory, 'state')], terminal)
  return { out: String(stdout.read() ?? ''), said: String(stderr.read() ?? ''), exitCode: terminal.exitCode }
}

const inOneHour = new Date(Date.now() + 3_600_000).toISOString()
async function file(text: string): Promise<string> {
  const path = join(directory, 'leases.txt')
  await writeFile(path, text)
  return path
}
const two = `02:00:00:00:00:01 127.1.0.1 ${inOneHour}\n02:00:00:00:00:02 127.1.0.2 ${inOneHour}\n`

describe('oooi leases', () => {
  test('import, export and import elsewhere', async () => {
    const path = await file(two)
    expect(await oooi('import', path)).toEqual({
      out: '',
      said: `2 leases imported from ${path} (leases.txt)\n`,
      exitCode: 0,
    })
    expect((await oooi('import', path)).said).toContain('0 leases imported')
    const { out } = await oooi('export')
    await rm(join(directory, 'state'), { recursive: true })
    expect((await oooi('import', await file(out))).said).toContain('2 leases imported')
    expect((await oooi()).out).toMatch(/127\.1\.0\.1 .*Active[\s\S]*127\.1\.0\.2 .*Active/)
  })

  test('a bad line is named, and nothing is imported', async () => {
    const path = await file(`${two}02:00:00:00:00:03 nowhere ${inOneHour}\n`)
    const { said, exitCode } = await oooi('import', path)
    expect(said).toContain(`${path}:3: `)
    expect([said, exitCode]).toEqual([expect.stringContaining('"nowhere" is not an IPv4 address'), 3])
    expect((await oooi()).said).toContain('no leases')
    expect((await oooi('import', join(directory, 'missing'))).said).toContain('cannot be read')
  })

  test('evict, while nothing runs', async () => {
    await oooi('import', await file(two))
    expect((await oooi('evict', '127.1.0.1')).exitCode).toBe(0)
    expect((await oooi()).out).toMatch(/127\.1\.0\.1 .*Released/)
    await oooi('evict', '127.1.0.1')
    expect((await oooi()).out).not.toContain('127.1.0.1')
    expect(await oooi('evict', '127.1.0.1')).toMatchObject({ said: expect.stringContaining('[LeaseUnknown]') })
    expect(await oooi('evict', 'worker-1')).toMatchObject({ exitCode: 3 })
  })

  test('evict goes through the server that runs; import is refused', async () => {
    await oooi('import', await file(two))
    const stateDir = join(directory, 'state')
    const engine = createDhcpEngine({
      log: pino({ level: 'silent' }),
      metrics: new Metrics(),
      now: Date.now,
      podAddresses: [],
      stateDir,
      ports: { server: 0, client: 0 },
    })
    onTestFinished(() => engine.stop(0))
    const networkConfig = { cidr: '127.0.0.0/8', serverIP: '127.0.0.1' }
    const leaseConfig = { rangeStart: '127.1.0.0', rangeEnd: '127.1.0.9' }
    const manifest = {
      apiVersion: 'hostedcluster.densityops.com/v1alpha1',
      kind: 'DHCPServer',
      metadata: { name: 'x' },
    }
    await engine.apply(dhcpServerSchema.parse({ ...manifest, spec: { networkConfig, leaseConfig } }))
    expect((await oooi('evict', '127.1.0.1')).said).toBe('the lease of 127.1.0.1 is over\n')
    expect(engine.leases().map(({ address, state }) => `${address} ${state}`)).toEqual([
      '127.1.0.2 Active',
      '127.1.0.1 Released',
    ])
    expect(await readFile(journalPath(stateDir), 'utf8')).toContain('"Released"')
    expect((await oooi('evict', '127.1.0.7')).said).toContain('[LeaseUnknown]')
    expect((await oooi('import', await file(two))).said).toContain('[StateDirInUse]')
  })
})
