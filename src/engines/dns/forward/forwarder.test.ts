import { randomFillSync } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createLogger } from '../../../runtime/observe/log.ts'
import { encodeName } from '../codec/name.ts'
import { extendedError, recordType } from '../codec/numbers.ts'
import type { Question } from '../codec/question.ts'
import { addressesIn } from '../codec/response.ts'
import { WireName } from '../codec/wire-name.ts'
import { AnswerCache, type KeptAnswer } from './cache.ts'
import { Forwarder } from './forwarder.ts'
import { RandomNumbers } from './random.ts'
import { answerTo, type Script, ScriptedUpstream } from './scripted-upstream.ts'
import type { UpstreamAddress } from './upstream-address.ts'

/** The machine may be busy: what has to come may take its time. */
vi.setConfig({ testTimeout: 60_000 })
const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 20_000 })

/** For tests that count questions: none is asked again, however late its answer is read. */
const patienceMs = 30_000

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

async function upstream(script: Script): Promise<ScriptedUpstream> {
  const started = await ScriptedUpstream.start(script)
  stops.push(() => started.stop())
  return started
}

interface World {
  readonly forwarder: Forwarder
  readonly cache: AnswerCache
  readonly clock: { nowMs: number }
}

function forwarder(upstreams: readonly UpstreamAddress[], longestTtlSeconds = 1000, retryAfterMs = 60): World {
  const cache = new AnswerCache(1 << 20)
  const clock = { nowMs: 1_000_000 }
  const made = new Forwarder({
    cache,
    random: new RandomNumbers((bytes) => randomFillSync(bytes)),
    now: () => clock.nowMs,
    log: createLogger('silent', { write: () => {} }),
    observeSeconds: () => {},
    retryAfterMs,
    authorities: () => [],
  })
  made.configure(upstreams, longestTtlSeconds)
  stops.push(() => made.stop())
  return { forwarder: made, cache, clock }
}

function question(text = 'www.example.net', type: number = recordType.A): Question {
  const name = encodeName(text)
  const cursor = new WireName(1)
  cursor.read(name, 0, name.length)
  return { name, hash: cursor.hash, type, dnssecOk: false, checkingDisabled: false }
}

function ask({ forwarder: made }: World, asked = question()): Promise<KeptAnswer> {
  return new Promise((resolve) => made.ask(asked, resolve))
}

function addresses({ answer }: KeptAnswer): string[] {
  return addressesIn(answer, recordType.A).map((bytes) => bytes.join('.'))
}

const good: Script = (query) => answerTo(query)
const other: Script = (query) => answerTo(query, { addresses: ['192.0.2.2'] })
const failing: Script = (query) => answerTo(query, { flags: 0x0182, addresses: [] })

/** A port on loopback where nobody listens. */
async function nobody(): Promise<UpstreamAddress> {
  const socket = createSocket('udp4')
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const { port } = socket.address()
  await new Promise<void>((resolve) => socket.close(resolve))
  return { address: '127.0.0.1', port, family: 4 }
}

describe('with a first upstream that is', () => {
  it.each<[string, Script]>([
    ['silent', () => undefined],
    ['failing', failing],
    ['refusing', (query) => answerTo(query, { flags: 0x0185, addresses: [] })],
    ['talking garbage', () => Uint8Array.from({ length: 40 }, (_, index) => index * 7)],
    ['lying about the id', (query) => answerTo(query, { id: ((query.id ?? 0) + 1) & 0xffff, addresses: ['6.6.6.6'] })],
    [
      'answering something else',
      (query) => answerTo({ ...query, questions: [{ name: 'evil.test', type: 'A' }] }, { addresses: ['6.6.6.6'] }),
    ],
    ['sending a message cut short', (query) => answerTo(query).subarray(0, 40)],
    [
      'answering with a query',
      (query) => Uint8Array.from(answerTo(query), (byte, index) => (index === 2 ? byte & 0x7f : byte)),
    ],
    ['truncating over TCP too', (query) => answerTo(query, { flags: 0x0380, addresses: [] })],
  ])('%s, the second answers', async (_text, script) => {
    const [first, second] = [await upstream(script), await upstream(other)]
    const world = forwarder([first.address, second.address])
    expect(addresses(await ask(world))).toEqual(['192.0.2.2'])
    expect(first.queries.length).toBeGreaterThan(0)
  })

  it('not there, the second answers', async () => {
    const second = await upstream(other)
    const world = forwarder([await nobody(), second.address])
    expect(addresses(await ask(world))).toEqual(['192.0.2.2'])
    expect(world.forwarder.upstreams[0]?.errors.unreachable).toBe(1)
  })

  it('slow, the answer that comes first is taken, also if it is the slow one', async () => {
    const first = await upstream(() => undefined)
    const second = await upstream(() => undefined)
    first.script = (query) => {
      second.script = () => {
        first.script = good
        return undefined
      }
      return query.id === undefined ? undefined : []
    }
    const world = forwarder([first.address, second.address])
    expect(addresses(await ask(world))).toEqual(['192.0.2.1'])
  })
})

describe('an answer', () => {
  it('that is truncated is fetched over TCP', async () => {
    const server = await upstream((query, via) =>
      via === 'udp'
        ? answerTo(query, { flags: 0x0380, addresses: [] })
        : answerTo(query, { addresses: ['192.0.2.1', '192.0.2.2'] }),
    )
    expect(addresses(await ask(forwarder([server.address])))).toHaveLength(2)
  })

  it('that is forged does not end the wait for the true one', async () => {
    const server = await upstream((query) => [
      answerTo(query, { id: ((query.id ?? 0) + 1) & 0xffff, addresses: ['6.6.6.6'] }),
      answerTo({ ...query, questions: [{ name: 'evil.test', type: 'A' }] }, { addresses: ['6.6.6.6'] }),
      answerTo(query),
    ])
    const world = forwarder([server.address])
    expect(addresses(await ask(world))).toEqual(['192.0.2.1'])
    expect(world.forwarder.upstreams[0]?.errors.unexpected).toBe(2)
  })

  it('is shared by everybody who asks meanwhile, and kept', async () => {
    const server = await upstream(good)
    const world = forwarder([server.address], 1000, patienceMs)
    const answers = await Promise.all([ask(world), ask(world), ask(world)])
    expect(answers.map(addresses)).toEqual([['192.0.2.1'], ['192.0.2.1'], ['192.0.2.1']])
    expect(server.queries).toHaveLength(1)
    expect(world.cache.size).toBe(1)
    expect(world.forwarder.inFlightCount).toBe(0)
  })

  it('has its TTL cut to cacheTTL, and is not kept at all with 0', async () => {
    const server = await upstream(good)
    const short = await ask(forwarder([server.address], 30))
    expect(Buffer.from(short.answer.body).readUInt32BE(short.answer.ttlOffsets[0])).toBe(30)
    const world = forwarder([server.address], 0)
    await ask(world)
    expect(world.cache.size).toBe(0)
  })
})

describe('questions', () => {
  it('leave with unpredictable ids from several ports', async () => {
    const server = await upstream(good)
    const world = forwarder([server.address])
    await Promise.all(Array.from({ length: 64 }, (_, index) => ask(world, question(`n${index}.test`))))
    expect(new Set(server.queries.map((query) => query.id)).size).toBeGreaterThan(60)
    expect(server.sourcePorts.size).toBeGreaterThan(4)
  })

  it('fail when nobody answers, and say why', async () => {
    const world = forwarder([(await upstream(() => undefined)).address])
    const kept = await ask(world)
    expect(kept).toMatchObject({ answer: { responseCode: 2 }, extendedError: extendedError.networkError })
    expect(world.forwarder.upstreams[0]?.isHealthy).toBe(false)
  })

  it.each([
    [[() => undefined, failing]],
    [[failing, () => undefined]],
    [[failing, () => undefined, failing]],
    [[failing, failing, failing, failing, failing]],
  ] satisfies [Script[]][])(
    'fail in the end, whoever of several is silent and whoever says no (%#)',
    async (scripts) => {
      const servers = await Promise.all(scripts.map(upstream))
      const world = forwarder(servers.map(({ address }) => address))
      expect((await ask(world)).answer.responseCode).toBe(2)
      expect(world.forwarder.inFlightCount).toBe(0)
    },
  )

  it('fail when there is no upstream at all', async () => {
    expect((await ask(forwarder([]))).answer.responseCode).toBe(2)
  })

  it('get the old answer when nobody answers any more', async () => {
    const server = await upstream((query) => answerTo(query, { ttl: 5 }))
    const world = forwarder([server.address])
    await ask(world)
    server.script = failing
    world.clock.nowMs += 60_000
    const stale = await ask(world)
    expect(addresses(stale)).toEqual(['192.0.2.1'])
    expect(stale.extendedError).toBe(extendedError.staleAnswer)
  })

  it('come back at once when too many wait', async () => {
    const world = forwarder([(await upstream(() => undefined)).address])
    let refusals = 0
    for (let index = 0; index < 300; index++) world.forwarder.ask(question(), () => refusals++)
    expect(refusals).toBe(300 - 256)
    expect(world.forwarder.overloads).toBe(300 - 256)
  })
})

describe('an upstream without EDNS', () => {
  const withoutEdns: Script = (query) =>
    query.additionals?.length === 0 ? answerTo(query) : answerTo(query, { flags: 0x0181, addresses: [] })
  const bareHeader: Script = (query) =>
    query.additionals?.length === 0
      ? answerTo(query)
      : Uint8Array.of((query.id ?? 0) >> 8, (query.id ?? 0) & 255, 0x81, 0x81, 0, 0, 0, 0, 0, 0, 0, 0)

  it.each([withoutEdns, bareHeader])('is asked again without it, and from then on (%#)', async (script) => {
    const server = await upstream(script)
    const world = forwarder([server.address], 1000, patienceMs)
    expect(addresses(await ask(world))).toEqual(['192.0.2.1'])
    expect(server.queries.map(({ additionals }) => additionals?.length)).toEqual([1, 0])
    await ask(world, question('again.test'))
    expect(server.queries).toHaveLength(3)
    world.clock.nowMs += 3_600_000
    await ask(world, question('later.test'))
    expect(server.queries.map(({ additionals }) => additionals?.length)).toEqual([1, 0, 0, 1, 0])
  })

  it('that says "format error" even then is not asked forever', async () => {
    const server = await upstream((query) => answerTo(query, { flags: 0x0181, addresses: [] }))
    const world = forwarder([server.address], 1000, patienceMs)
    expect((await ask(world)).answer.responseCode).toBe(2)
    expect(server.queries).toHaveLength(2)
  })
})

describe('an answer that takes unusually long', () => {
  async function warm(): Promise<{ world: World; first: ScriptedUpstream; second: ScriptedUpstream }> {
    const [first, second] = [await upstream(good), await upstream(other)]
    const world = forwarder([first.address, second.address], 1000, patienceMs)
    for (let index = 0; index < 10; index++) await ask(world, question(`warm${index}.test`))
    return { world, first, second }
  }

  it('is asked of the next upstream too, long before the first is given up', async () => {
    const { world, first, second } = await warm()
    // A machine that stood still for a moment may have made one or the other late.
    expect(second.queries.length).toBeLessThan(5)
    first.script = () => undefined
    expect(addresses(await ask(world))).toEqual(['192.0.2.2'])
    expect(world.forwarder.upstreams.map(({ errors }) => errors.timeout)).toEqual([0, 0])
  })

  it('is asked twice only so often', async () => {
    const { world, first, second } = await warm()
    first.script = () => undefined
    for (let index = 0; index < 100; index++) world.forwarder.ask(question(`slow${index}.test`), () => {})
    await eventually(() => second.queries.length).toBeGreaterThan(5)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(second.queries.length).toBeLessThanOrEqual(20)
  })
})

describe('an upstream that was down', () => {
  it('is asked last, and first again once it answers a probe', async () => {
    const [first, second] = [await upstream(() => undefined), await upstream(other)]
    const world = forwarder([first.address, second.address])
    for (const index of [1, 2, 3]) await ask(world, question(`n${index}.test`))
    expect(world.forwarder.upstreams.map(({ isHealthy }) => isHealthy)).toEqual([false, true])
    await ask(world, question('n4.test'))
    expect(first.queries.filter(({ questions }) => questions?.[0]?.name === 'n4.test')).toEqual([])
    first.script = good
    await eventually(() => world.forwarder.upstreams[0]?.isHealthy).toBe(true)
    expect(addresses(await ask(world, question('n5.test')))).toEqual(['192.0.2.1'])
  })
})
