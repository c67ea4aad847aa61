import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { alertFor, converse, echoHello, namingServer, openStream } from './testing/conversation.ts'
import { bytesOf, hello, join } from './testing/hello-builder.ts'
import {
  closeServer,
  connectTo,
  echoServer,
  freePort,
  listenOnLoopback,
  readAll,
  readExactly,
} from './testing/loopback.ts'
import { backendTo, ProxyFixture, podAddress, proxyTo } from './testing/proxy-fixture.ts'

describe('routing', () => {
  it('sends the hello and all that follows, byte for byte', async () => {
    await using echo = await echoServer()
    const { proxy, port } = await proxyTo(echo.port)
    await using _ = proxy
    const client = await connectTo(port)
    client.write(echoHello.subarray(0, 1))
    client.write(echoHello.subarray(1, 40))
    client.end(join(echoHello.subarray(40), bytesOf('and more')))
    expect(await readAll(client)).toEqual(Buffer.concat([echoHello, bytesOf('and more')]))
  })

  it('takes different names to different backends', async () => {
    await using one = await namingServer('one')
    await using two = await namingServer('two')
    await using proxy = new ProxyFixture()
    const port = await freePort()
    await proxy.apply([
      backendTo('one', port, one.port, { default: true }),
      backendTo('two', port, two.port, { hostname: '*.example.com' }),
    ])
    expect(await converse(port, '', hello('one.example.com'))).toBe('one')
    expect(await converse(port, '', hello('ONE.example.com.'))).toBe('one')
    expect(await converse(port, '', hello('any.other.example.com'))).toBe('two')
    expect(await converse(port, '', hello())).toBe('one')
    expect(await converse(port, '', hello('127.0.0.1'))).toBe('one')
  })

  it('serves only the pod backends on the pod addresses', async () => {
    await using echo = await echoServer()
    await using proxy = new ProxyFixture({ podAddresses: [podAddress] })
    const [port, vlanOnlyPort] = [await freePort(), await freePort()]
    await proxy.apply([
      backendTo('echo', port, echo.port, { podNetwork: true }),
      backendTo('ignition', port, echo.port, { default: true }),
      backendTo('konnectivity', vlanOnlyPort, echo.port),
    ])
    expect(await converse(port, 'hi', echoHello, podAddress)).toBe('hi')
    expect(await converse(port, 'hi', hello('ignition.example.com'))).toBe('hi')
    expect(await alertFor(port, hello('ignition.example.com'), podAddress)).toBe(112)
    expect(await alertFor(port, hello(), podAddress)).toBe(40)
    await expect(connectTo(vlanOnlyPort, podAddress)).rejects.toThrow('ECONNREFUSED')
    expect(proxy.engine.status().listeners).toHaveLength(3)
  })
})

describe('changes', () => {
  it('keep every open connection, and hold for new ones at once', async () => {
    await using echo = await echoServer()
    await using other = await namingServer('other')
    const { proxy, port } = await proxyTo(echo.port)
    await using _ = proxy
    const streams = await Promise.all(Array.from({ length: 20 }, () => openStream(port)))
    await proxy.apply([backendTo('echo', port, other.port)])
    expect(await converse(port, '')).toBe('other')
    const secondPort = await freePort()
    await proxy.apply([backendTo('new', secondPort, echo.port)])
    await expect(connectTo(port)).rejects.toThrow('ECONNREFUSED')
    expect(await converse(secondPort, 'hi', hello('new.example.com'))).toBe('hi')
    for (const stream of streams) {
      stream.write('ping')
      expect((await readExactly(stream, 4)).toString()).toBe('ping')
      stream.destroy()
    }
  })

  it('that cannot be served leave everything as it was', async () => {
    await using echo = await echoServer()
    const { proxy, port } = await proxyTo(echo.port)
    await using _ = proxy
    const blocker = createServer()
    const [takenPort, freshPort] = [await listenOnLoopback(blocker), await freePort()]
    const result = await proxy.apply([
      backendTo('fresh', freshPort, echo.port),
      backendTo('taken', takenPort, echo.port),
    ])
    expect(result).toMatchObject({ ok: false, problems: [{ reason: 'PortInUse' }] })
    await expect(connectTo(freshPort)).rejects.toThrow('ECONNREFUSED')
    expect(await converse(port, 'still here')).toBe('still here')
    expect(proxy.engine.status()).toMatchObject({ servingGeneration: 1, listeners: [{ port }] })
    await closeServer(blocker)
  })

  it('to an address that this host does not have say so', async () => {
    await using proxy = new ProxyFixture()
    const result = await proxy.apply([backendTo('echo', await freePort(), 1)], '192.0.2.1')
    expect(result).toMatchObject({ ok: false, problems: [{ reason: 'AddressMissing' }] })
  })

  it('with a conflict serve all the rest and show it in the status', async () => {
    await using echo = await echoServer()
    await using proxy = new ProxyFixture()
    const port = await freePort()
    const backends = [backendTo('echo', port, echo.port), backendTo('rival', port, 1, { hostname: 'echo.example.com' })]
    expect(await proxy.apply(backends)).toEqual({ ok: true })
    expect(await converse(port, 'hi')).toBe('hi')
    expect(proxy.engine.status().problems).toMatchObject([{ reason: 'DuplicateHostname' }])
  })
})

describe('stopping', () => {
  it('takes no new connections and lets the open ones end', async () => {
    await using echo = await echoServer()
    const { proxy, port } = await proxyTo(echo.port)
    const stream = await openStream(port)
    const stopped = proxy.engine.stop(60_000)
    await expect(connectTo(port)).rejects.toThrow('ECONNREFUSED')
    stream.end('last words')
    expect((await readAll(stream)).toString()).toBe('last words')
    await stopped
    expect(proxy.connections.at(-1)).toMatchObject({ reason: 'client_closed' })
  })

  it('waits for nobody where nobody is, however long it might', async () => {
    await using echo = await echoServer()
    const { proxy, port } = await proxyTo(echo.port)
    expect(await converse(port, 'hi')).toBe('hi')
    await expect.poll(() => proxy.connections).toHaveLength(1)
    await proxy.engine.stop(3_600_000)
    await expect(connectTo(port)).rejects.toThrow('ECONNREFUSED')
  })

  it('cuts what is still open when the time is over', async () => {
    await using echo = await echoServer()
    const { proxy, port } = await proxyTo(echo.port)
    const [stream, silent] = [await openStream(port), await connectTo(port)]
    await proxy.engine.stop(50)
    await Promise.all([readAll(stream), readAll(silent)])
    expect(proxy.connections.map(({ reason }) => reason)).toEqual(['shutdown', 'shutdown'])
  })
})
