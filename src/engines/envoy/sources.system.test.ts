import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nameBehind, namingServer } from '../proxy/testing/conversation.ts'
import { hello } from '../proxy/testing/hello-builder.ts'
import { freePort, TestServer } from '../proxy/testing/loopback.ts'
import { backendTo, ProxyFixture } from '../proxy/testing/proxy-fixture.ts'
import { EnvoyFixture } from './testing/envoy-fixture.ts'

/** Who may connect, and who is sent where, by the address of the client: the same in both engines. */

let envoy: EnvoyFixture
let embedded: ProxyFixture
let servers: TestServer[]
let ports: { readonly envoy: number; readonly embedded: number }

const names = ['allowed', 'closed', 'mine', 'theirs', 'any', 'web-mine', 'web-theirs']

beforeAll(async () => {
  servers = await Promise.all(names.map((name) => (name.startsWith('web') ? webServer(name) : namingServer(name))))
  ports = { envoy: await freePort(), embedded: await freePort() }
  const backendsOn = (port: number) => {
    const to = (name: string) => servers[names.indexOf(name)]?.port ?? 0
    const shared = { hostname: 'kubernetes', default: true }
    const web = { hostname: 'console.example.com', protocol: 'HTTP' as const }
    return [
      backendTo('allowed', port, to('allowed'), { allowedSourceCIDRs: ['127.0.0.1/32', '127.1.0.0/16'] }),
      backendTo('closed', port, to('closed'), { allowedSourceCIDRs: [] }),
      backendTo('any', port, to('any'), { hostname: '*.example.com' }),
      backendTo('mine', port, to('mine'), { ...shared, sourcePrefixRanges: ['127.0.0.1/32'] }),
      backendTo('theirs', port, to('theirs'), { ...shared, allowedSourceCIDRs: ['127.0.0.0/24'] }),
      backendTo('web-mine', port, to('web-mine'), { ...web, sourcePrefixRanges: ['127.0.0.1/32', '127.1.0.0/16'] }),
      backendTo('web-theirs', port, to('web-theirs'), { ...web, allowedSourceCIDRs: ['127.0.0.0/24', '127.1.2.0/24'] }),
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

describe.each(['envoy', 'embedded'] as const)('%s', (engine) => {
  it.each([
    ['allowed.example.com', '127.0.0.1', 'allowed'],
    ['allowed.example.com', '127.1.2.3', 'allowed'],
    ['allowed.example.com', '127.0.0.9', ''],
    ['closed.example.com', '127.0.0.1', ''],
    ['other.example.com', '127.0.0.9', 'any'],
    ['kubernetes', '127.0.0.1', 'mine'],
    ['kubernetes', '127.0.0.9', 'theirs'],
    ['kubernetes', '127.2.0.9', ''],
    [undefined, '127.0.0.1', 'mine'],
    [undefined, '127.0.0.9', 'theirs'],
    [undefined, '127.2.0.9', ''],
  ])('%s from %s reaches "%s"', async (name, from, want) => {
    expect(await nameBehind(ports[engine], hello(name), undefined, from)).toBe(want)
  })

  it.each([
    ['console.example.com', '127.0.0.1', '200 web-mine'],
    ['console.example.com', '127.1.2.3', '200 web-mine'],
    ['console.example.com', '127.0.0.9', '200 web-theirs'],
    ['console.example.com', '127.2.0.9', '403 '],
    ['unknown.example.com', '127.0.0.1', '404 '],
  ])('plain HTTP to %s from %s is answered "%s"', async (host, from, want) => {
    expect(await answerOver(ports[engine], host, from)).toBe(want)
  })
})

/** Answers every request with its name. */
function webServer(name: string): Promise<TestServer> {
  return new TestServer((socket) => {
    socket.on('data', () => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${name.length}\r\n\r\n${name}`))
    socket.on('end', () => socket.end())
  }).start()
}

async function answerOver(port: number, host: string, localAddress: string): Promise<string> {
  const asked = request({ host: '127.0.0.1', port, localAddress, headers: { Host: host }, agent: false })
  asked.end()
  const [response] = await once(asked, 'response')
  return `${response.statusCode} ${await text(response)}`
}
