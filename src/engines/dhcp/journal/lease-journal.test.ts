import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Lease } from '../leases/lease.ts'
import { LeaseTable } from '../leases/lease-table.ts'
import { temporaryDirectory } from '../testing/temporary-directory.ts'
import { type Disk, realDisk } from './files.ts'
import { encodeCommit } from './format.ts'
import type { LeaseStore } from './lease-store.ts'
import { journalPath, openLeaseStore, readLeases } from './open.ts'

const nowMs = Date.UTC(2026, 0, 1)

/** The machine may be busy: what has to come may take its time. */
vi.setConfig({ testTimeout: 60_000 })
const eventually = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 20_000 })

/** A table whose changes go to a store, as the server does it. */
class Server {
  readonly table = new LeaseTable()
  readonly store: LeaseStore

  private constructor(store: LeaseStore) {
    this.store = store
  }

  static async start(stateDir: string, disk: Disk = realDisk): Promise<Server> {
    const started: { server?: Server } = {}
    const opened = await openLeaseStore(stateDir, {
      disk,
      log: pino({ level: 'silent' }),
      live: () => started.server?.table.all() ?? [],
      onSync: () => undefined,
      monotonicMs: () => performance.now(),
      retryAfterMs: 5,
    })
    if (!opened.ok) throw new Error(opened.problems[0]?.message)
    const server = new Server(opened.value.store)
    started.server = server
    for (const lease of opened.value.leases) server.table.put(lease)
    onTestFinished(() => server.store.close())
    return server
  }

  grant(address: number): Promise<boolean> {
    const lease: Lease = {
      address,
      mac: `client-${address}`,
      clientId: '',
      hostname: '',
      vmName: '',
      cluster: '',
      state: 'Active',
      startMs: nowMs,
      expiresMs: nowMs + 3_600_000,
      sequence: this.table.nextSequence(),
    }
    this.table.put(lease)
    return new Promise((resolve) => this.store.append([lease], resolve))
  }

  addresses(): number[] {
    return this.table.all().map((lease) => lease.address)
  }
}

/** A disk that fails when it is told to. */
function brokenDisk() {
  const broken = { append: false, sync: false, create: false, replace: false }
  const syncs = { count: 0 }
  const fail = (what: keyof typeof broken) => {
    if (broken[what]) throw Object.assign(new Error(`ENOSPC: no space left on device, ${what}`), { code: 'ENOSPC' })
  }
  const wrap = (file: Awaited<ReturnType<Disk['create']>>) => ({
    append: async (bytes: Buffer) => {
      fail('append')
      return file.append(bytes)
    },
    sync: async () => {
      fail('sync')
      syncs.count++
      return file.sync()
    },
    commit: async (bytes: Buffer) => {
      fail('append')
      fail('sync')
      syncs.count++
      return file.commit(bytes)
    },
    close: () => file.close(),
  })
  const disk: Disk = {
    create: async (path) => {
      fail('create')
      return wrap(await realDisk.create(path))
    },
    openAt: async (path, length) => wrap(await realDisk.openAt(path, length)),
    replace: async (from, to) => {
      fail('replace')
      return realDisk.replace(from, to)
    },
    remove: realDisk.remove,
  }
  return { disk, broken, syncs }
}

describe('the lease journal', () => {
  test('gives back at the next start what was stored, and goes on numbering', async () => {
    const stateDir = await temporaryDirectory()
    const first = await Server.start(stateDir)
    expect(await Promise.all([first.grant(1), first.grant(2)])).toEqual([true, true])
    await first.store.close()
    const second = await Server.start(stateDir)
    expect([second.addresses(), second.table.nextSequence()]).toEqual([[1, 2], 3])
  })

  test('many answers share one sync', async () => {
    const { disk, syncs } = brokenDisk()
    const server = await Server.start(await temporaryDirectory(), disk)
    const before = syncs.count
    await Promise.all(Array.from({ length: 500 }, (_, address) => server.grant(address)))
    expect(syncs.count - before).toBeLessThan(5)
  })

  test('with no changes it waits for those before', async () => {
    const server = await Server.start(await temporaryDirectory())
    const order: string[] = []
    const granted = server.grant(1).then(() => order.push('granted'))
    await new Promise((resolve) => server.store.append([], resolve))
    order.push('asked')
    await granted
    expect(order).toEqual(['granted', 'asked'])
  })

  test('a torn last commit is cut off before anything is written after it', async () => {
    const stateDir = await temporaryDirectory()
    const first = await Server.start(stateDir)
    await first.grant(1)
    await first.store.close()
    const whole = await readFile(journalPath(stateDir))
    await writeFile(journalPath(stateDir), Buffer.concat([whole, Buffer.from('0badf00d [{"addr')]))
    const second = await Server.start(stateDir)
    await second.grant(2)
    await second.store.close()
    expect((await Server.start(stateDir)).addresses()).toEqual([1, 2])
  })

  test.each(['fast', 'slow'])(
    'is rewritten when it has grown, while the service goes on, on a %s disk',
    async (speed) => {
      const stateDir = await temporaryDirectory()
      // A slow one has the new file ready when all is over: with everything in it that changed meanwhile.
      let ready = Promise.resolve()
      const isOver = Promise.withResolvers<void>()
      const create = async (path: string) => {
        await ready
        return realDisk.create(path)
      }
      const server = await Server.start(stateDir, { ...realDisk, create })
      if (speed === 'slow') ready = isOver.promise
      const rounds = 30
      for (let round = 0; round < rounds; round++) {
        const answers = await Promise.all(Array.from({ length: 1000 }, (_, address) => server.grant(address)))
        expect(answers.every(Boolean)).toBe(true)
      }
      isOver.resolve()
      const recordsIfNeverRewritten = rounds * 1000
      await eventually(async () => {
        const text = await readFile(journalPath(stateDir), 'utf8')
        expect(text.split('"address"').length).toBeLessThan(recordsIfNeverRewritten / 2)
      })
      await server.store.close()
      const read = await readLeases(journalPath(stateDir), nowMs)
      expect(read.ok && read.value.length).toBe(1000)
      expect(read.ok && Math.max(...read.value.map((lease) => lease.sequence))).toBe(recordsIfNeverRewritten)
    },
  )

  test('is readable while a server writes it, by somebody who may only read', async () => {
    const stateDir = await temporaryDirectory()
    const server = await Server.start(stateDir)
    await server.grant(0x0a000001)
    expect(await readLeases(journalPath(stateDir), nowMs)).toMatchObject({
      ok: true,
      value: [{ address: '10.0.0.1', state: 'Active' }],
    })
    expect(await readLeases(journalPath(stateDir), nowMs + 3_600_000)).toMatchObject({
      ok: true,
      value: [{ state: 'Expired' }],
    })
    expect(await readLeases(join(stateDir, 'nothing-here'), nowMs)).toEqual({ ok: true, value: [] })
  })
})

describe('a disk that fails', () => {
  test.each(['append', 'sync'] as const)(
    'in %s: nothing is said to be stored until a new file is in place',
    async (what) => {
      const stateDir = await temporaryDirectory()
      const { disk, broken } = brokenDisk()
      const server = await Server.start(stateDir, disk)
      expect(await server.grant(1)).toBe(true)
      const { ino } = await stat(journalPath(stateDir))
      broken[what] = true
      expect(await server.grant(2)).toBe(false)
      expect(server.store.problem).toMatchObject({
        reason: 'LeaseStoreDegraded',
        message: expect.stringContaining(stateDir),
      })
      expect(await server.grant(3)).toBe(false)
      broken[what] = false
      await eventually(() => expect(server.store.problem).toBeUndefined())
      expect(await server.grant(4)).toBe(true)
      expect((await stat(journalPath(stateDir))).ino).not.toBe(ino)
      await server.store.close()
      expect((await Server.start(stateDir)).addresses()).toEqual([1, 2, 3, 4])
    },
  )

  test('in the exchange of files: neither is trusted', async () => {
    const { disk, broken } = brokenDisk()
    const server = await Server.start(await temporaryDirectory(), disk)
    broken.replace = true
    server.store.rewrite()
    await eventually(() => expect(server.store.problem).toBeDefined())
    expect(await server.grant(1)).toBe(false)
    broken.replace = false
    await eventually(() => expect(server.store.problem).toBeUndefined())
    expect(await server.grant(2)).toBe(true)
  })

  test('with no room for a rewrite the old file goes on', async () => {
    const { disk, broken } = brokenDisk()
    const server = await Server.start(await temporaryDirectory(), disk)
    broken.create = true
    server.store.rewrite()
    expect(await server.grant(1)).toBe(true)
    expect(server.store.problem).toBeUndefined()
  })
})

describe('opening', () => {
  async function openProblem(stateDir: string) {
    return Server.start(stateDir).then(
      () => 'opened',
      (error: Error) => error.message,
    )
  }

  test('a directory that another process or engine has is refused', async () => {
    const stateDir = await temporaryDirectory()
    await Server.start(stateDir)
    expect(await openProblem(stateDir)).toContain(`another oooi process keeps its leases in ${stateDir}`)
  })

  test('a directory with a path longer than a socket name can be is locked all the same', async () => {
    const stateDir = join(await temporaryDirectory(), 'd'.repeat(100), 'd'.repeat(100))
    await Server.start(stateDir)
    expect(await openProblem(stateDir)).toContain('another oooi process')
  })

  test('a journal of the future, a damaged one and a foreign one are refused and left alone', async () => {
    const stateDir = await temporaryDirectory()
    for (const [text, complaint] of [
      ['oooi-leases 7\n', 'version 7, and this oooi reads up to version 1'],
      [`oooi-leases 1\n00000000 [1]\n${encodeCommit([]).toString()}`, 'is damaged: line 2'],
      ['dnsmasq\n', 'first line'],
    ] as const) {
      await writeFile(journalPath(stateDir), text)
      expect(await openProblem(stateDir)).toContain(complaint)
      expect(await readFile(journalPath(stateDir), 'utf8')).toBe(text)
    }
  })

  test('a directory that cannot be made is a problem', async () => {
    const file = join(await temporaryDirectory(), 'file')
    await writeFile(file, '')
    expect(await openProblem(join(file, 'state'))).toContain('leases cannot be kept in')
  })
})
