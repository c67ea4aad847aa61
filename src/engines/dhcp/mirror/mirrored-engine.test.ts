import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { failed, ok, type Result } from '../../../core/result.ts'
import { Metrics } from '../../../runtime/observe/metrics.ts'
import { createDhcpEngine } from '../engine.ts'
import type { LeaseRecord } from '../leases/lease-record.ts'
import { LoopbackRelay } from '../testing/relay.ts'
import { temporaryDirectory } from '../testing/temporary-directory.ts'
import { dhcpServer } from '../testing/vlan.ts'
import type { LeaseMirror } from './lease-mirror.ts'

const serverIP = '127.0.0.1'
const server = dhcpServer({
  cidr: '127.0.0.0/8',
  serverIP,
  gateway: undefined,
  dnsServers: [serverIP],
  range: ['127.1.0.0', '127.1.0.9'],
  spec: { probe: { enabled: false } },
})
const mac = '02:00:00:00:00:01'

/** A mirror in memory that confirms when it is told to. */
class TestMirror implements LeaseMirror {
  readonly kept = new Map<string, LeaseRecord>()
  readonly waiting: (() => void)[] = []
  loaded: Result<readonly LeaseRecord[]> = ok([])
  isAdopted = false
  confirmsAtOnce = true

  async load(): Promise<Result<readonly LeaseRecord[]>> {
    return this.loaded
  }

  adopted(): void {
    this.isAdopted = true
  }

  keep(records: readonly LeaseRecord[]): Promise<void> | undefined {
    for (const record of records) this.kept.set(record.address, record)
    return this.confirmsAtOnce ? undefined : new Promise((resolve) => this.waiting.push(resolve))
  }
}

async function start(mirror: LeaseMirror, stateDir?: string) {
  const relay = await LoopbackRelay.open(serverIP)
  const engine = createDhcpEngine({
    log: pino({ level: 'silent' }),
    metrics: new Metrics(),
    now: Date.now,
    podAddresses: [],
    stateDir: stateDir ?? (await temporaryDirectory()),
    ports: { server: relay.port, client: relay.port },
    mirror,
  })
  onTestFinished(async () => {
    relay.close()
    await engine.stop(0)
  })
  return { relay, engine }
}

test('every change reaches the mirror; the ACK waits for what the mirror wants it to wait for', async () => {
  const mirror = new TestMirror()
  const { relay, engine } = await start(mirror)
  await engine.apply(server)
  expect(mirror.isAdopted).toBe(true)
  const address = (await relay.join(mac)) ?? ''
  expect(mirror.kept.get(address)).toMatchObject({ mac, state: 'Active', sequence: 1 })
  mirror.confirmsAtOnce = false
  const joining = relay.join('02:00:00:00:00:02')
  const first = await Promise.race([joining, new Promise((resolve) => setTimeout(resolve, 100, 'still waiting'))])
  expect(first).toBe('still waiting')
  for (const confirm of mirror.waiting.splice(0)) confirm()
  expect(await joining).toBeDefined()
})

test('a server with an empty disk knows what the mirror has, and writes it to its own', async () => {
  const before = new TestMirror()
  const first = await start(before)
  await first.engine.apply(server)
  const address = (await first.relay.join(mac)) ?? ''
  const mirror = new TestMirror()
  mirror.loaded = ok([...before.kept.values()])
  const stateDir = await temporaryDirectory()
  const second = await start(mirror, stateDir)
  await first.engine.stop(0)
  await second.engine.apply(server)
  expect(second.engine.leases()).toMatchObject([{ address, mac, state: 'Active' }])
  await second.engine.stop(0)
  const third = await start(new TestMirror(), stateDir)
  await third.engine.apply(server)
  expect(third.engine.leases()).toMatchObject([{ address, mac, state: 'Active' }])
})

test('while the mirror cannot be read nothing is served, and the next attempt finds the disk free', async () => {
  const mirror = new TestMirror()
  mirror.loaded = failed({ reason: 'ApiUnreachable', message: 'nobody answers' })
  const { engine, relay } = await start(mirror)
  expect(await engine.apply(server)).toMatchObject({ ok: false, problems: [{ reason: 'ApiUnreachable' }] })
  mirror.loaded = ok([])
  expect(await engine.apply(server)).toEqual({ ok: true, value: undefined })
  expect(await relay.join(mac)).toBeDefined()
})
