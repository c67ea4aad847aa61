import { describe, expect, it } from 'vitest'
import { until } from '../../lab/testing.ts'
import { alertFor, answerTo, converse, namingServer } from './testing/conversation.ts'
import { bytesOf, hello } from './testing/hello-builder.ts'
import { connectTo, echoServer, freePort, readAll, readExactly, TestServer } from './testing/loopback.ts'
import { backendTo, ProxyFixture, proxyTo } from './testing/proxy-fixture.ts'

describe('the PROXY protocol', () => {
  it('tells the target who the client is, before the hello', async () => {
    await using target = await namingServer('echo')
    const { proxy, port } = await proxyTo(target.port, { backend: { proxyProtocol: true } })
    const client = await connectTo(port)
    const first = hello('echo.example.com')
    client.write(first)
    const echoed = await readExactly(client, 28 + first.length)
    expect(echoed.subarray(0, 16).toString('hex')).toBe('0d0a0d0a000d0a515549540a2111000c')
    expect([...echoed.subarray(16, 24)]).toEqual([127, 0, 0, 1, 127, 0, 0, 1])
    expect([echoed.readUInt16BE(24), echoed.readUInt16BE(26)]).toEqual([client.localPort, port])
    expect(echoed.subarray(28)).toEqual(Buffer.from(first))
    client.destroy()
    await proxy[Symbol.asyncDispose]()
  })
})

describe('plain HTTP', () => {
  const request = (host: string) => bytesOf(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)

  it('is led by its Host, beside TLS on the same port', async () => {
    await using web = await namingServer('web')
    await using site = await namingServer('site')
    await using tls = await namingServer('tls')
    await using proxy = new ProxyFixture()
    const port = await freePort()
    await proxy.apply([
      backendTo('web', port, web.port, { hostname: '*.apps.example.com', protocol: 'HTTP' }),
      backendTo('site', port, site.port, { hostname: 'site.example.com', protocol: 'HTTP', default: true }),
      backendTo('tls', port, tls.port, { hostname: 'x.apps.example.com' }),
    ])
    expect(await converse(port, '', request('x.apps.example.com'))).toBe('web')
    expect(await converse(port, '', request('site.example.com:80'))).toBe('site')
    expect(await converse(port, '', request('127.0.0.1'))).toBe('site')
    expect(await converse(port, '', hello('x.apps.example.com'))).toBe('tls')
    const refusal = await answerTo(port, request('unknown.example.com'))
    expect(refusal.toString()).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/)
    expect((await answerTo(port, request('a b'))).toString()).toMatch(/^HTTP\/1\.1 400 /)
    expect(proxy.connections.at(-2)).toMatchObject({ host: 'unknown.example.com', reason: 'unknown_sni' })
  })

  it('is closed on a port that has none', async () => {
    await using target = await namingServer('echo')
    const { proxy, port } = await proxyTo(target.port)
    expect(await alertFor(port, request('echo.example.com'))).toBeUndefined()
    await proxy[Symbol.asyncDispose]()
  })
})

describe('a raw port', () => {
  const raw = { protocol: 'Raw' } as const

  it('passes on whatever is spoken, and lets the server speak first', async () => {
    await using greeter = await new TestServer((socket) => {
      socket.write('SSH-2.0-greeter\r\n')
      socket.pipe(socket)
    }).start()
    const { proxy, port } = await proxyTo(greeter.port, { backend: raw })
    const client = await connectTo(port)
    expect((await readExactly(client, 17)).toString()).toBe('SSH-2.0-greeter\r\n')
    for (const said of ['plain text', '\x16\x03\x01 no hello', 'GET / HTTP/1.1\r\n\r\n']) {
      client.write(said)
      expect((await readExactly(client, said.length)).toString()).toBe(said)
    }
    client.end()
    expect(await readAll(client)).toHaveLength(0)
    await until('the line of the log', () => proxy.connections.at(-1))
    expect(proxy.connections.at(-1)).toMatchObject({ backend: 'echo', reason: 'client_closed' })
    await proxy[Symbol.asyncDispose]()
  })

  it('keeps what comes before the target is reached', async () => {
    await using target = await echoServer()
    const { proxy, port } = await proxyTo(target.port, { backend: raw })
    const much = Buffer.alloc(200_000, 'x')
    const client = await connectTo(port)
    client.end(much)
    expect(await readAll(client)).toHaveLength(much.length)
    await proxy[Symbol.asyncDispose]()
  })

  it('is closed to who may not use it, and where nobody answers, without a word', async () => {
    await using target = await namingServer('echo')
    const denied = await proxyTo(target.port, { backend: { ...raw, allowedSourceCIDRs: ['10.0.0.0/8'] } })
    expect(await answerTo(denied.port, hello('echo.example.com'))).toHaveLength(0)
    expect(denied.proxy.connections.at(-1)).toMatchObject({ reason: 'source_denied' })
    await denied.proxy[Symbol.asyncDispose]()
    const dead = await proxyTo(await freePort(), { backend: { ...raw, connectAttempts: 1 } })
    expect(await answerTo(dead.port, hello('echo.example.com'))).toHaveLength(0)
    expect(dead.proxy.connections.at(-1)).toMatchObject({ reason: 'backend_unreachable' })
    await dead.proxy[Symbol.asyncDispose]()
  })
})

describe('sources', () => {
  it('choose between backends of the same name', async () => {
    await using mine = await namingServer('mine')
    await using others = await namingServer('others')
    await using proxy = new ProxyFixture()
    const port = await freePort()
    const shared = { hostname: 'kubernetes' }
    await proxy.apply([
      backendTo('mine', port, mine.port, { ...shared, sourcePrefixRanges: ['127.0.0.1/32'] }),
      backendTo('others', port, others.port, shared),
    ])
    expect(await converse(port, '', hello('kubernetes'))).toBe('mine')
    await proxy.apply([
      backendTo('mine', port, mine.port, { ...shared, sourcePrefixRanges: ['10.0.0.0/8'] }),
      backendTo('others', port, others.port, shared),
    ])
    expect(await converse(port, '', hello('kubernetes'))).toBe('others')
  })
})

describe('health checks', () => {
  it('find out about targets before a client does', async () => {
    const target = await namingServer('target')
    const healthCheck = { interval: '1s', timeout: '500ms' }
    const { proxy, port } = await proxyTo(target.port, { backend: { healthCheck } })
    const report = () => proxy.engine.status().backends[0]
    await until('a healthy target', () => report()?.healthy === 1 || undefined, 5000)
    await target[Symbol.asyncDispose]()
    await until('a failing target', () => report()?.lastError, 5000)
    expect(report()?.healthy).toBe(0)
    expect(port).toBeGreaterThan(0)
    await proxy[Symbol.asyncDispose]()
  })
})
