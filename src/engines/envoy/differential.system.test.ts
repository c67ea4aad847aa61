import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { namingServer } from '../proxy/testing/conversation.ts'
import { records } from '../proxy/testing/hello-builder.ts'
import { large, name, sound, vectors } from '../proxy/testing/hello-vectors.ts'
import { connectTo, freePort, type TestServer } from '../proxy/testing/loopback.ts'
import { backendTo, ProxyFixture } from '../proxy/testing/proxy-fixture.ts'
import { EnvoyFixture } from './testing/envoy-fixture.ts'

/** The same backends behind both engines, and the same first bytes to both. */

const names = ['named', 'wildcard', 'default']
let envoy: EnvoyFixture
let embedded: ProxyFixture
let servers: TestServer[]
let ports: { readonly envoy: number; readonly embedded: number }

beforeAll(async () => {
  servers = await Promise.all(names.map((greeting) => namingServer(greeting, { greets: true })))
  ports = { envoy: await freePort(), embedded: await freePort() }
  const backendsOn = (port: number) => {
    const [first = 0, second = 0, third = 0] = servers.map((server) => server.port)
    return [
      backendTo('named', port, first, { hostname: name }),
      backendTo('wildcard', port, second, { hostname: '*.example.com' }),
      backendTo('default', port, third, { default: true }),
    ]
  }
  envoy = await EnvoyFixture.start()
  await envoy.serve(backendsOn(ports.envoy))
  embedded = new ProxyFixture()
  await embedded.apply(backendsOn(ports.embedded))
})

afterAll(async () => {
  await envoy[Symbol.asyncDispose]()
  await embedded[Symbol.asyncDispose]()
  for (const server of servers) await server[Symbol.asyncDispose]()
})

/** Which backend these bytes reach, or `closed`. A TLS alert is a way of closing. */
async function decision(port: number, segments: readonly Uint8Array[], pauseMs = 0): Promise<string> {
  const client = await connectTo(port)
  const answered = new Promise<string>((resolve) => {
    client.once('data', (bytes) => resolve(names.find((known) => bytes.toString() === known) ?? 'closed'))
    client.once('close', () => resolve('closed'))
    client.once('end', () => resolve('closed'))
  })
  for (const segment of segments) {
    client.write(segment)
    if (pauseMs > 0) await sleep(pauseMs)
  }
  const answer = await answered
  client.destroy()
  return answer
}

/** Where Envoy decides otherwise, and why that is left so. */
const differences: Readonly<Record<string, { readonly envoy: string; readonly embedded: string }>> = {
  // BoringSSL reads the encrypted inner hello and finds 200 zero bytes malformed; ours does not look at it.
  'encrypted client hello: the outer name': { envoy: 'closed', embedded: 'named' },
  // Against RFC 6066, which asks for 1 byte at least; the embedded engine takes it for a client without a name.
  'an empty name': { envoy: 'closed', embedded: 'default' },
}

it.each(vectors.map(([what, wire]) => [what, wire] as const))('both decide alike on %s', async (what, wire) => {
  const [byEnvoy, byEmbedded] = await Promise.all([decision(ports.envoy, [wire]), decision(ports.embedded, [wire])])
  const known = differences[what]
  if (known) expect({ envoy: byEnvoy, embedded: byEmbedded }).toEqual(known)
  else expect(byEnvoy).toBe(byEmbedded)
})

it.each([
  ['in two segments', [sound.length / 2]],
  ['the first byte alone', [1]],
  ['cut inside the name', [sound.indexOf('p'.charCodeAt(0)) + 3]],
])('both decide alike on a hello %s', async (_, cuts) => {
  const wire = records(sound)
  const [cut = 0] = cuts.map(Math.floor)
  const segments = [wire.subarray(0, cut), wire.subarray(cut)]
  expect(await decision(ports.envoy, segments, 60)).toBe('named')
  expect(await decision(ports.embedded, segments, 60)).toBe('named')
})

it('both wait for 15 KB in segments of the size of a network', async () => {
  const wire = records(large)
  const segments = Array.from({ length: Math.ceil(wire.length / 1400) }, (_, index) =>
    wire.subarray(index * 1400, (index + 1) * 1400),
  )
  expect(await decision(ports.envoy, segments, 5)).toBe('named')
  expect(await decision(ports.embedded, segments, 5)).toBe('named')
})
