import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { dhcpServerSchema } from '../../api/dhcpserver.ts'
import { createDhcpEngine } from '../../engines/dhcp/engine.ts'
import { journalPath } from '../../engines/dhcp/journal/open.ts'
import { Metrics } from '../../runtime/observe/metrics.ts'
import { type Outcome, oooi } from '../testing.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'oooi-leases-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
})

const leases = (...args: string[]): Promise<Outcome> => oooi('leases', ...args, '--state-dir', join(directory, 'state'))

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
    expect(await leases('import', path)).toEqual({
      stdout: '',
      stderr: `2 leases imported from ${path} (leases.txt)\n`,
      exitCode: 0,
    })
    expect((await leases('import', path)).stderr).toContain('0 leases imported')
    const { stdout } = await leases('export')
    await rm(join(directory, 'state'), { recursive: true })
    expect((await leases('import', await file(stdout))).stderr).toContain('2 leases imported')
    expect((await leases()).stdout).toMatch(/127\.1\.0\.1 .*Active[\s\S]*127\.1\.0\.2 .*Active/)
  })

  test('a bad line is named, and nothing is imported', async () => {
    const path = await file(`${two}02:00:00:00:00:03 nowhere ${inOneHour}\n`)
    const { stderr, exitCode } = await leases('import', path)
    expect(stderr).toContain(`${path}:3: `)
    expect([stderr, exitCode]).toEqual([expect.stringContaining('"nowhere" is not an IPv4 address'), 3])
    expect((await leases()).stderr).toContain('there is no state directory')
  })

  test('evict, while nothing runs', async () => {
    await leases('import', await file(two))
    expect((await leases('evict', '127.1.0.1')).exitCode).toBe(0)
    expect((await leases()).stdout).toMatch(/127\.1\.0\.1 .*Released/)
    await leases('evict', '127.1.0.1')
    expect((await leases()).stdout).not.toContain('127.1.0.1')
    expect(await leases('evict', '127.1.0.1')).toMatchObject({ stderr: expect.stringContaining('[LeaseUnknown]') })
  })

  test('evict goes through the server that runs; import is refused', async () => {
    await leases('import', await file(two))
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
    expect((await leases('evict', '127.1.0.1')).stderr).toBe('the lease of 127.1.0.1 is over\n')
    expect(engine.leases().map(({ address, state }) => `${address} ${state}`)).toEqual([
      '127.1.0.2 Active',
      '127.1.0.1 Released',
    ])
    expect(await readFile(journalPath(stateDir), 'utf8')).toContain('"Released"')
    expect((await leases('evict', '127.1.0.7')).stderr).toContain('[LeaseUnknown]')
    expect((await leases('import', await file(two))).stderr).toContain('[StateDirInUse]')
  })
})
