import { describe, expect, it } from 'vitest'
import { alertFor, answerTo, converse, echoHello, openStream } from './testing/conversation.ts'
import { bytesOf, hello } from './testing/hello-builder.ts'
import { connectTo, echoServer, readAll } from './testing/loopback.ts'
import { proxyTo } from './testing/proxy-fixture.ts'

/** Longer than any test: nothing may depend on it. */
const forever = 3_600_000

async function rejectionOf(first: Uint8Array): Promise<{ alert: number | undefined; reason: unknown }> {
  await using echo = await echoServer()
  const { proxy, port } = await proxyTo(echo.port, {
    limits: { sniffTimeoutMs: forever },
    backend: { allowedSourceCIDRs: ['10.0.0.0/8'] },
  })
  await using _ = proxy
  const alert = await alertFor(port, first)
  await expect.poll(() => proxy.connections.length).toBe(1)
  expect(echo.sockets.size).toBe(0)
  return { alert, reason: proxy.connections[0]?.reason }
}

describe('a client that cannot be routed is told so and closed at once', () => {
  it.each([
    ['an unknown name', hello('other.example.com'), 112, 'unknown_sni'],
    ['no name where there is no default', hello(), 40, 'no_sni'],
    ['a malformed hello', hello('a\0b'), 50, 'malformed'],
    ['a hello that is too large', Uint8Array.of(22, 3, 1, 0, 4, 1, 1, 0, 0), 50, 'too_large'],
    ['a source that may not', echoHello, 49, 'source_denied'],
    ['plain HTTP', bytesOf('GET / HTTP/1.1\r\n\r\n'), undefined, 'not_tls'],
  ])('%s', async (_, first, alert, reason) => {
    expect(await rejectionOf(first)).toEqual({ alert, reason })
  })

  it('one that leaves in the middle of its hello', async () => {
    await using echo = await echoServer()
    const { proxy, port } = await proxyTo(echo.port, { limits: { sniffTimeoutMs: forever } })
    await using _ = proxy
    const client = await connectTo(port)
    client.end(echoHello.subarray(0, 30))
    expect(await readAll(client)).toHaveLength(0)
    await expect.poll(() => proxy.connections).toMatchObject([{ reason: 'eof' }])
  })

  it('one that sends its hello too slowly, however steadily', async () => {
    await using echo = await echoServer()
    const { proxy, port } = await proxyTo(echo.port, { limits: { sniffTimeoutMs: 100 } })
    await using _ = proxy
    const client = await connectTo(port)
    let sent = 0
    const drip = setInterval(() => client.write(echoHello.subarray(sent, ++sent)), 10)
    expect(await readAll(client)).toHaveLength(0)
    clearInterval(drip)
    await expect.poll(() => proxy.connections).toMatchObject([{ reason: 'timeout' }])
  })
})

describe('limits', () => {
  it('hundreds of half-open handshakes do not keep real clients out', async () => {
    await using echo = await echoServer()
    const limits = { sniffTimeoutMs: 500, maxSniffing: 100, maxSniffingPerSource: 100 }
    const { proxy, port } = await proxyTo(echo.port, { limits })
    await using _ = proxy
    const silent = Array.from({ length: 300 }, async () => {
      const client = await connectTo(port)
      client.write(echoHello.subarray(0, 100))
      return readAll(client)
    })
    for (let turn = 0; turn < 10; turn += 1) expect(await converse(port, `real ${turn}`)).toBe(`real ${turn}`)
    expect(await proxy.metric('oooi_proxy_awaiting_hello')).toSatisfy(([line]) => Number(line.split(' ')[1]) <= 100)
    await Promise.all(silent)
    await expect.poll(() => proxy.engine.status().openConnections).toBe(0)
    const reasons = new Set(proxy.connections.map(({ reason }) => reason))
    expect(reasons).toEqual(new Set(['client_closed', 'evicted', 'timeout']))
  })

  it('one source may hold only so many places in the waiting room', async () => {
    await using echo = await echoServer()
    const { proxy, port } = await proxyTo(echo.port, { limits: { sniffTimeoutMs: forever, maxSniffingPerSource: 2 } })
    await using _ = proxy
    const [oldest] = [await connectTo(port), await connectTo(port)]
    expect(await converse(port, 'hi')).toBe('hi')
    expect(await readAll(oldest)).toHaveLength(0)
    expect(proxy.connections.some(({ reason }) => reason === 'evicted')).toBe(true)
  })

  it('connections beyond the limit are closed, and let in again when others end', async () => {
    await using echo = await echoServer()
    const { proxy, port } = await proxyTo(echo.port, { limits: { maxConnections: 2 } })
    await using _ = proxy
    const [first] = [await openStream(port), await openStream(port)]
    expect(await answerTo(port, echoHello)).toHaveLength(0)
    expect(proxy.connections).toMatchObject([{ reason: 'connection_limit' }])
    first.destroy()
    await expect.poll(() => converse(port, 'hi')).toBe('hi')
  })

  it('one source may hold only so many connections', async () => {
    await using echo = await echoServer()
    const { proxy, port } = await proxyTo(echo.port, { limits: { maxConnectionsPerSource: 1 } })
    await using _ = proxy
    await openStream(port)
    expect(await answerTo(port, echoHello)).toHaveLength(0)
  })

  it('a backend may have a limit of its own', async () => {
    await using echo = await echoServer()
    const { proxy, port } = await proxyTo(echo.port, { backend: { maxConnections: 1 } })
    await using _ = proxy
    await openStream(port)
    expect(await alertFor(port, echoHello)).toBe(80)
    expect(proxy.connections).toMatchObject([{ reason: 'backend_limit', backend: 'echo' }])
  })
})
