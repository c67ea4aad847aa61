import { pino } from 'pino'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Metrics } from '../../runtime/observe/metrics.ts'
import { createDhcpEngine, type DhcpEngineOptions } from './engine.ts'
import { type Disk, realDisk } from './journal/files.ts'
import { journalPath, readLeases } from './journal/open.ts'
import type { LeaseRecord } from './leases/lease-record.ts'
import { LoopbackRelay } from './testing/relay.ts'
import { temporaryDirectory } from './testing/temporary-directory.ts'
import { dhcpServer } from './testing/vlan.ts'

const serverIP = '127.0.0.1'
const loopback = {
  cidr: '127.0.0.0/8',
  serverIP,
  gateway: undefined,
  dnsServers: [serverIP],
  range: ['127.1.0.0', '127.1.255.255'],
} as const
const mac = '02:00:00:00:00:01'

async function start(changes: Partial<DhcpEngineOptions> = {}) {
  const relay = await LoopbackRelay.open(serverIP)
  const stateDir = changes.stateDir ?? (await temporaryDirectory())
  const options: DhcpEngineOptions = {
    log: pino({ level: 'silent' }),
    metrics: new Metrics(),
    now: Date.now,
    podAddresses: [],
    stateDir,
    ports: { server: relay.port, client: relay.port },
    ...changes,
  }
  const engine = createDhcpEngine(options)
  onTestFinished(async () => {
    relay.close()
    await engine.stop(0)
  })
  return { relay, stateDir, engine, options }
}

describe('the DHCP engine', () => {
  test('gives a lease that is on disk when the client hears of it', async () => {
    const changes: LeaseRecord[] = []
    const { relay, stateDir, engine, options } = await start({ onLeaseChange: (lease) => changes.push(lease) })
    expect(await engine.apply(dhcpServer(loopback))).toEqual({ ok: true, value: undefined })
    const address = await relay.join(mac)
    expect(await readLeases(journalPath(stateDir), Date.now())).toMatchObject({
      ok: true,
      value: [{ address, mac, state: 'Active' }],
    })
    expect([engine.leases(), changes]).toMatchObject([[{ address, mac }], [{ address, mac, state: 'Active' }]])
    expect(engine.status()).toEqual({
      servingGeneration: 1,
      activeLeases: 1,
      totalLeases: 65_536,
      poolUsage: 0,
      leases: { active: 1, offered: 0, expired: 0, declined: 0 },
      refusals: [],
      problems: [],
    })
    const { body } = await options.metrics.expose()
    for (const line of [
      'oooi_dhcp_received_total{type="discover"} 1',
      'oooi_dhcp_sent_total{type="ack"} 1',
      'oooi_dhcp_leases{state="active"} 1',
      'oooi_dhcp_pool_addresses{use="available"} 65535',
      'oooi_dhcp_lease_store_healthy 1',
      'oooi_dhcp_lease_sync_seconds_count 1',
    ]) {
      expect(body).toContain(line)
    }
  })

  test('knows its clients after a restart', async () => {
    const first = await start()
    await first.engine.apply(dhcpServer(loopback))
    await first.relay.join('02:00:00:00:00:09')
    const address = await first.relay.join(mac)
    await first.engine.stop(0)
    const second = await start({ stateDir: first.stateDir })
    await second.engine.apply(dhcpServer(loopback))
    const reboot = await second.relay.ask({ type: 'request', mac, options: [[50, address ?? '']] })
    expect([reboot?.type, reboot?.yourAddress]).toEqual(['ack', address])
  })

  test('loses no packet when it is reconfigured', async () => {
    const { relay, engine } = await start()
    await engine.apply(dhcpServer(loopback))
    const answers: Promise<string | undefined>[] = []
    for (let round = 0; round < 40; round++) {
      answers.push(relay.join(`06:00:00:00:00:${round.toString(16).padStart(2, '0')}`))
      await engine.apply(dhcpServer({ ...loopback, dnsServers: [`127.0.0.${10 + (round % 2)}`] }))
    }
    expect(new Set(await Promise.all(answers)).size).toBe(40)
  })

  test('moves to another address, and back to nothing if that one cannot be had', async () => {
    const { relay, engine } = await start()
    await engine.apply(dhcpServer(loopback))
    const missing = await engine.apply(
      dhcpServer({
        ...loopback,
        cidr: '192.0.2.0/24',
        serverIP: '192.0.2.1',
        dnsServers: [],
        range: ['192.0.2.10', '192.0.2.20'],
      }),
    )
    expect(missing).toMatchObject({
      ok: false,
      problems: [{ reason: 'AddressMissing', message: expect.stringContaining('192.0.2.1') }],
    })
    expect(await relay.join(mac)).toBeDefined()
    expect(await engine.apply(dhcpServer({ ...loopback, serverIP: '127.0.0.9' }))).toMatchObject({ ok: true })
    expect(await relay.ask({ type: 'discover', mac }, 300)).toBeUndefined()
  })

  test('says who has its port, and whose the state directory is', async () => {
    const { engine, options, stateDir } = await start()
    await engine.apply(dhcpServer(loopback))
    const another = await start({ ports: options.ports ?? { server: 0, client: 0 } })
    expect(await another.engine.apply(dhcpServer(loopback))).toMatchObject({
      ok: false,
      problems: [{ reason: 'PortInUse', field: 'spec.networkConfig.serverIP' }],
    })
    const third = await start({ stateDir })
    expect(await third.engine.apply(dhcpServer(loopback))).toMatchObject({
      ok: false,
      problems: [{ reason: 'StateDirInUse' }],
    })
  })

  test('refuses strangers and says so', async () => {
    const { relay, engine } = await start()
    await engine.apply(dhcpServer({ ...loopback, spec: { clientPolicy: 'Known' } }))
    for (let number = 0; number < 12; number++) {
      await relay.ask({ type: 'discover', mac: `06:00:00:00:00:${(16 + number).toString(16)}` }, 20)
    }
    const { refusals } = engine.status()
    expect(refusals).toHaveLength(10)
    expect(refusals[0]).toMatchObject({ mac: '06:00:00:00:00:1b', reason: 'UnknownClient', count: 1 })
  })

  test('confirms nothing that is not stored, and serves again when the disk does', async () => {
    const state = { broken: false }
    const disk: Disk = {
      ...realDisk,
      create: async (path) => {
        const file = await realDisk.create(path)
        const sync = async () => {
          if (state.broken) throw new Error('EIO: i/o error, fdatasync')
          await file.sync()
        }
        return { append: (bytes) => file.append(bytes), sync, close: () => file.close() }
      },
    }
    const { relay, engine } = await start({ disk })
    await engine.apply(dhcpServer(loopback))
    state.broken = true
    const offer = await relay.ask({ type: 'discover', mac })
    const request = {
      type: 'request',
      mac,
      options: [
        [50, offer?.yourAddress ?? ''],
        [54, serverIP],
      ],
    } as const
    expect(await relay.ask(request, 300)).toBeUndefined()
    expect(engine.status().problems).toMatchObject([{ reason: 'LeaseStoreDegraded' }])
    state.broken = false
    await vi.waitFor(() => expect(engine.status().problems).toEqual([]), { timeout: 10_000 })
    expect(await relay.ask(request)).toMatchObject({ type: 'ack' })
  })
})
