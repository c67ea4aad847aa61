import { createSocket } from 'node:dgram'
import { readFile } from 'node:fs/promises'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Metrics } from '../../runtime/observe/metrics.ts'
import { createDhcpEngine, type DhcpEngine, type DhcpEngineOptions } from './engine.ts'
import { type Disk, realDisk } from './journal/files.ts'
import { encodeCommit } from './journal/format.ts'
import { journalPath, readLeases } from './journal/open.ts'
import { fromRecord, type LeaseRecord } from './leases/lease-record.ts'
import { packet } from './testing/packets.ts'
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
  spec: { probe: { enabled: false } },
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
      warnings: [],
    })
    const { body } = await options.metrics.expose()
    for (const line of [
      'oooi_dhcp_received_total{type="discover"} 1',
      'oooi_dhcp_reply_seconds_count 2',
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

  test.each([
    'EIO: i/o error, fdatasync',
    'EROFS: read-only file system, write',
    'ENOSPC: no space left on device, write',
  ])('confirms nothing that is not stored, and serves again when the disk does (%s)', async (message) => {
    const state = { broken: false }
    const failIfBroken = () => {
      if (state.broken) throw new Error(message)
    }
    const disk: Disk = {
      ...realDisk,
      create: async (path) => {
        if (message.startsWith('EROFS')) failIfBroken()
        const file = await realDisk.create(path)
        return {
          append: async (bytes) => {
            if (!message.startsWith('EIO')) failIfBroken()
            await file.append(bytes)
          },
          commit: async (bytes) => {
            failIfBroken()
            await file.commit(bytes)
          },
          sync: async () => {
            failIfBroken()
            await file.sync()
          },
          close: () => file.close(),
        }
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
    expect(engine.status().problems).toMatchObject([
      { reason: 'LeaseStoreDegraded', message: expect.stringContaining(message) },
    ])
    state.broken = false
    await vi.waitFor(() => expect(engine.status().problems).toEqual([]), { timeout: 10_000 })
    expect(await relay.ask(request)).toMatchObject({ type: 'ack' })
  })

  test('an address that somebody uses without a lease is set aside, and the client gets another', async () => {
    const squatter = '02:00:00:00:00:77'
    const neighbours = async () =>
      `IP address HW type Flags HW address Mask Device\n127.1.0.0 0x1 0x2 ${squatter} * lo\n`
    const { relay, engine, options } = await start({ neighbours })
    await engine.apply(dhcpServer({ ...loopback, spec: { probe: { timeout: '50ms' } } }))
    expect(await relay.join(mac)).toBe('127.1.0.1')
    expect(engine.status().leases).toMatchObject({ active: 1, declined: 1 })
    expect(engine.status().warnings).toMatchObject([
      { reason: 'AddressInUse', message: expect.stringContaining(`127.1.0.0 (${squatter})`) },
    ])
    expect(engine.leases()).toContainEqual(
      expect.objectContaining({ address: '127.1.0.0', mac: squatter, state: 'Declined' }),
    )
    const { body } = await options.metrics.expose()
    expect(body).toContain('oooi_dhcp_probes_total{result="in-use"} 1')
    expect(body).toContain('oooi_dhcp_probes_total{result="free"} 1')
  })

  test('a client that has the address already, or had it, is not taken for a stranger, nor made to wait', async () => {
    const neighbours = vi.fn(async () => `\n127.1.0.0 0x1 0x2 ${mac} * lo\n`)
    const { relay, engine } = await start({ neighbours })
    await engine.apply(dhcpServer({ ...loopback, spec: { probe: { timeout: '50ms' } } }))
    expect(await relay.join(mac)).toBe('127.1.0.0')
    const looks = neighbours.mock.calls.length
    expect(await relay.join(mac)).toBe('127.1.0.0')
    expect(neighbours.mock.calls.length).toBe(looks)
  })

  test('a client that asks again while an address is looked at is answered once, the last time', async () => {
    const { relay, engine, options } = await start({ neighbours: async () => '' })
    await engine.apply(dhcpServer({ ...loopback, spec: { probe: { timeout: '300ms' } } }))
    const [first, second] = await Promise.all([
      relay.ask({ type: 'discover', mac }, 1000),
      relay.ask({ type: 'discover', mac }, 1000),
    ])
    expect([first, second?.yourAddress]).toEqual([undefined, '127.1.0.0'])
    expect((await options.metrics.expose()).body).toContain('oooi_dhcp_probes_total{result="free"} 1')
  })

  test('another server that a client prefers is reported, unless there may be one', async () => {
    const { relay, engine } = await start()
    await engine.apply(dhcpServer(loopback))
    const elsewhere = {
      type: 'request',
      mac,
      options: [
        [50, '127.1.0.5'],
        [54, '127.0.0.66'],
      ],
    } as const
    await relay.ask(elsewhere, 100)
    expect(engine.status()).toMatchObject({
      problems: [],
      warnings: [{ reason: 'RogueServerSeen', message: expect.stringContaining('127.0.0.66') }],
    })
    await engine.apply(dhcpServer({ ...loopback, spec: { ...loopback.spec, authoritative: false } }))
    expect(engine.status().warnings).toEqual([])
  })

  test('a change that leaves leases behind names them', async () => {
    const { relay, engine } = await start()
    await engine.apply(dhcpServer(loopback))
    await relay.join(mac)
    await relay.join('02:00:00:00:00:02')
    const reservations = [{ mac: '02:00:00:00:00:09', address: '127.1.0.1' }]
    const changed = {
      ...loopback,
      range: ['127.2.0.0', '127.2.0.9'],
      spec: { ...loopback.spec, reservations },
    } as const
    await engine.apply(dhcpServer(changed))
    expect(engine.status().warnings).toMatchObject([
      { reason: 'LeasesOrphaned', message: expect.stringContaining('127.1.0.1 (02:00:00:00:00:02)') },
      { reason: 'LeasesOutsideRange', message: expect.stringContaining(`127.1.0.0 (${mac})`) },
    ])
    expect(await engine.evict('127.1.0.0')).toEqual({ ok: true, value: undefined })
    expect(await relay.ask({ type: 'request', mac, clientAddress: '127.1.0.0' })).toMatchObject({ type: 'nak' })
    expect(engine.status().warnings).toMatchObject([{ reason: 'LeasesOrphaned' }])
  })

  test('a full pool is a problem, and who got nothing is named', async () => {
    const { relay, engine } = await start()
    await engine.apply(dhcpServer({ ...loopback, range: ['127.1.0.0', '127.1.0.0'] }))
    await relay.join(mac)
    await relay.ask({ type: 'discover', mac: '02:00:00:00:00:02' }, 50)
    expect(engine.status()).toMatchObject({
      poolUsage: 100,
      problems: [{ reason: 'PoolExhausted' }],
      refusals: [{ mac: '02:00:00:00:00:02', reason: 'PoolExhausted' }],
    })
  })

  test('a range without an address to lend is a problem before anybody asks, unless it is all reserved', async () => {
    const { engine } = await start()
    const range = ['127.1.0.1', '127.1.0.2'] as const
    const spec = { exclusions: ['127.1.0.1-127.1.0.2'] }
    await engine.apply(dhcpServer({ ...loopback, range, spec }))
    expect(engine.status().problems).toMatchObject([
      { reason: 'PoolExhausted', message: expect.stringContaining('every address of the range is excluded') },
    ])
    const reservations = [{ mac, address: '127.1.0.1' }]
    await engine.apply(dhcpServer({ ...loopback, range, spec: { ...spec, reservations } }))
    expect(engine.status().problems).toEqual([])
  })

  test('whoever takes one address after the other does not fill the log', async () => {
    // Twenty times slower than ours, so that all of it is within one second on any machine.
    let skippedMs = 0
    const monotonicMs = () => skippedMs + performance.now() / 20
    const lines: { readonly msg: string; readonly count?: number }[] = []
    const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) })
    const { relay, engine } = await start({ log, now: () => 1e12 + monotonicMs(), monotonicMs })
    await engine.apply(dhcpServer(loopback))
    const macs = Array.from({ length: 120 }, (_, index) => `02:00:00:00:01:${(index + 16).toString(16)}`)
    expect(await Promise.all(macs.map((each) => relay.join(each)))).not.toContain(undefined)
    expect(lines.filter(({ msg }) => msg === 'lease bound')).toHaveLength(100)
    skippedMs += 1000
    await relay.join(mac)
    expect(lines.slice(-2)).toMatchObject([
      { msg: expect.stringContaining('not logged'), count: 20 },
      { msg: 'lease bound' },
    ])
  })

  test('a flood of a hundred thousand invented clients fills neither memory nor disk, and real ones are served', async () => {
    const { relay, engine, options, stateDir } = await start({ neighbours: async () => '' })
    await engine.apply(dhcpServer({ ...loopback, spec: { probe: { timeout: '20ms' } } }))
    const before = await readFile(journalPath(stateDir))
    const flood = createSocket('udp4')
    onTestFinished(() => void flood.close())
    const heard = async () =>
      Number(/received_total\{type="discover"\} (\d+)/.exec((await options.metrics.expose()).body)?.[1])
    for (let sent = 0; sent < 100_000; ) {
      // No more at once than the socket of the server buffers.
      for (const end = sent + 200; sent < end; sent++) {
        const octets = [sent >>> 16, (sent >>> 8) & 255, sent & 255].map((octet) => octet.toString(16).padStart(2, '0'))
        const bytes = packet({ type: 'discover', mac: `06:00:00:${octets.join(':')}`, relayAddress: '127.0.0.3' })
        flood.send(bytes, relay.port, serverIP)
      }
      while ((await heard()) < sent) await new Promise((resolve) => setImmediate(resolve))
    }
    const { offered, active } = engine.status().leases
    expect([offered <= 4096, active]).toEqual([true, 0])
    expect(await relay.join(mac)).toBeDefined()
    expect(await readFile(journalPath(stateDir))).toHaveLength(
      before.length + encodeCommit(storedLeases(engine)).length,
    )
  }, 240_000)
})

function storedLeases(engine: DhcpEngine) {
  return engine.leases().flatMap((record) => fromRecord(record) ?? [])
}
