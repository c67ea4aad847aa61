import { once } from 'node:events'
import { createServer } from 'node:net'
import { connect } from 'node:tls'
import { expect, it } from 'vitest'
import { hello, helloMessage, padding, records } from '../testing/hello-builder.ts'
import { closeServer, listenOnLoopback } from '../testing/loopback.ts'
import { ClientHelloReader, type HelloVerdict, maxWireBytes } from './client-hello.ts'

const rounds = 100_000
const seed = 20_240_611

/** A small generator (mulberry32): the same bytes on every run. */
function randomNumbers(start: number): (below: number) => number {
  let state = start
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const originals = [
  hello('api.c1.example.com'),
  hello(),
  records(helloMessage({ serverName: 'console.apps.c1.example.com', before: [padding(700)] }), [200]),
  records(helloMessage({ serverName: 'x.example.com' }), [1, 3, 16_384]),
]

function mutated(random: (below: number) => number): Uint8Array {
  const original = originals[random(originals.length)] ?? hello()
  const bytes = Uint8Array.from(random(20) === 0 ? new Uint8Array(random(400)) : original)
  for (let change = random(8); change >= 0; change -= 1) {
    const at = random(Math.max(bytes.length, 1))
    if (random(4) === 0) bytes.copyWithin(at, random(bytes.length + 1))
    else bytes[at] = random(256)
  }
  return bytes.subarray(0, random(5) === 0 ? random(bytes.length + 1) : bytes.length)
}

it('gives a verdict or asks for more, whatever the bytes and however they are cut', () => {
  const random = randomNumbers(seed)
  const counts = new Map<string, number>()
  for (let round = 0; round < rounds; round += 1) {
    const wire = mutated(random)
    const whole = new ClientHelloReader().push(wire)
    const cut = random(wire.length + 1)
    const reader = new ClientHelloReader()
    const inPieces = reader.push(wire.subarray(0, cut)) ?? reader.push(wire.subarray(cut))
    const text = textOf(whole)
    if (text !== textOf(inPieces)) expect(inPieces, `round ${round}`).toEqual(whole)
    const kind = whole === undefined ? 'more' : whole.kind === 'fault' ? whole.fault : whole.kind
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  expect([...counts.keys()].sort()).toEqual(['malformed', 'more', 'named', 'nameless', 'not_tls', 'too_large'])
})

function textOf(verdict: HelloVerdict | undefined): string {
  return JSON.stringify(verdict) ?? 'more'
}

it('never keeps more than its limit before it gives up', () => {
  const reader = new ClientHelloReader()
  const endless = records(helloMessage({ before: [padding(16_000)] }), [1])
  let pushed = 0
  while (!reader.push(endless.subarray(pushed, pushed + 7))) pushed += 7
  expect(reader.received.length).toBeLessThanOrEqual(maxWireBytes + 16)
})

it('reads what Node itself sends', async () => {
  const chunks: Buffer[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (chunk) => chunks.push(chunk))
  })
  const port = await listenOnLoopback(server)
  const client = connect({ host: '127.0.0.1', port, servername: 'api.c1.example.com', ALPNProtocols: ['h2'] })
  client.on('error', () => {})
  await once(client, 'connect')
  const reader = new ClientHelloReader()
  await expect
    .poll(() =>
      chunks
        .splice(0)
        .map((chunk) => reader.push(chunk))
        .at(-1),
    )
    .toEqual({
      kind: 'named',
      serverName: 'api.c1.example.com',
    })
  client.destroy()
  await closeServer(server)
})
