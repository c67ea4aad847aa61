import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { identify, isAlive } from './identity.ts'
import { groupsOfOneSort, Ledger } from './ledger.ts'
import { parseLedger, removeRemains } from './remains.ts'
import type { Thing } from './thing.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'oooi-ledger-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function directoryThing(name: string): Thing {
  const path = join(root, name)
  mkdirSync(path)
  return { kind: 'directory', path }
}

async function sleeper(): Promise<Thing & { kind: 'process' }> {
  const child = spawn('sleep', ['60'])
  await once(child, 'spawn')
  const identity = identify(child.pid ?? -1)
  if (!identity) throw new Error('sleep did not start')
  return { kind: 'process', what: 'sleep', process: identity, graceMs: 1000 }
}

describe('a ledger', () => {
  it('has an id of its own that starts every name', () => {
    const numbers = [0.5, 0.5, 0.25]
    const next = (): number => numbers.shift() ?? 0
    expect(Ledger.create(next, root).id).toBe('oooi-8000')
    expect(Ledger.create(next, root).id).toBe('oooi-4000')
  })

  it('takes away what was recorded, itself last, and may be asked twice', async () => {
    const ledger = Ledger.create(Math.random, root)
    const process = await sleeper()
    ledger.record(directoryThing('made'))
    ledger.record(process)
    await ledger.clear()
    await ledger.clear()
    expect(isAlive(process.process)).toBe(false)
    expect(readdirSync(root)).toEqual([])
  })

  it('does not mind what never came to be', async () => {
    const ledger = Ledger.create(Math.random, root)
    ledger.record({ kind: 'namespace', name: `${ledger.id}-none` })
    ledger.record({ kind: 'interface', namespace: `${ledger.id}-none`, name: 'eth0' })
    ledger.record({ kind: 'mount', path: join(root, 'none') })
    ledger.record({ kind: 'directory', path: join(root, 'none') })
    await ledger.clear()
  })

  it('does not touch a process that only has the number of one it made', async () => {
    const ledger = Ledger.create(Math.random, root)
    const thing = await sleeper()
    ledger.record({ ...thing, process: { ...thing.process, startTicks: thing.process.startTicks - 1 } })
    await ledger.clear()
    expect(isAlive(thing.process)).toBe(true)
    process.kill(thing.process.pid)
  })

  it('lets nothing new be made once it is cleared', async () => {
    const ledger = Ledger.create(Math.random, root)
    await ledger.clear()
    expect(() => ledger.record({ kind: 'namespace', name: 'late' })).toThrow('has ended')
  })
})

describe('the order of removal', () => {
  it('keeps neighbours of one sort together, and a process with grace for itself', () => {
    const identity = { pid: 1, startTicks: 1, bootId: '' }
    const things: Thing[] = [
      { kind: 'process', what: 'vm', process: identity, graceMs: 0 },
      { kind: 'process', what: 'vm', process: identity, graceMs: 0 },
      { kind: 'process', what: 'oooi', process: identity, graceMs: 5 },
      { kind: 'process', what: 'control', process: identity, graceMs: 0 },
      { kind: 'namespace', name: 'a' },
      { kind: 'namespace', name: 'b' },
    ]
    expect(groupsOfOneSort(things).map((group) => group.length)).toEqual([2, 1, 1, 2])
  })
})

describe('remains', () => {
  const dead = JSON.stringify({ owner: { pid: 1, startTicks: -1, bootId: 'another boot' } })

  it('of a dead owner are removed, those of a living one are not', async () => {
    const living = Ledger.create(Math.random, root)
    mkdirSync(join(root, 'oooi-dead'))
    const made = directoryThing('made')
    writeFileSync(join(root, 'oooi-dead', 'ledger'), `${dead}\n${JSON.stringify(made)}\n{"kind":"proc`)
    expect(await removeRemains(Date.now(), root)).toEqual(['oooi-dead'])
    expect(readdirSync(root)).toEqual([living.id])
  })

  it('without an owner are left alone for a minute: their lab may be about to write it', async () => {
    const directory = join(root, 'oooi-new')
    mkdirSync(directory)
    expect(await removeRemains(Date.now(), root)).toEqual([])
    const old = new Date(Date.now() - 120_000)
    utimesSync(directory, old, old)
    expect(await removeRemains(Date.now(), root)).toEqual(['oooi-new'])
  })

  it('are none where there was no lab', async () => {
    expect(await removeRemains(Date.now(), join(root, 'none'))).toEqual([])
  })

  it('are read back as they were written', () => {
    const ledger = Ledger.create(Math.random, root)
    const thing: Thing = { kind: 'namespace', name: 'a' }
    ledger.record(thing)
    const content = parseLedger(readFileSync(join(ledger.directory, 'ledger'), 'utf8'))
    expect(content.things).toEqual([thing])
    expect(content.owner?.pid).toBe(process.pid)
    expect(existsSync(ledger.directory)).toBe(true)
  })

  it('of any bytes do not throw', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void parseLedger(Buffer.from(bytes).toString('latin1'))))
  })
})

describe('the identity of a process', () => {
  it('is none for a free number', () => {
    expect(identify(999_999_999)).toBeUndefined()
  })

  it('is alive as long as it runs', () => {
    const self = identify(process.pid)
    expect(self && isAlive(self)).toBe(true)
    expect(self && isAlive({ ...self, bootId: 'another boot' })).toBe(false)
  })
})
