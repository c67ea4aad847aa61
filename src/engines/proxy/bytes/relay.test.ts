import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { echoHello, openStream } from '../testing/conversation.ts'
import { connectTo, echoServer, readAll, readExactly, TestServer } from '../testing/loopback.ts'
import { proxyTo } from '../testing/proxy-fixture.ts'
import { distinctContents, readSlowly, sumOf } from '../testing/slow-streams.ts'

describe.each([{ isPlain: false }, { isPlain: true }])('one direction may end before the other, %o', (options) => {
  it('the client first: the backend still answers', async () => {
    let heard: Buffer = Buffer.alloc(0)
    await using server = await new TestServer(async (socket) => {
      heard = await readAll(socket)
      await sleep(20)
      socket.end('the answer')
    }).start()
    const { proxy, port } = await proxyTo(server.port, options)
    await using _ = proxy
    const client = await connectTo(port)
    client.write(echoHello)
    client.end('the question')
    expect((await readAll(client)).toString()).toBe('the answer')
    expect(heard.subarray(echoHello.length).toString()).toBe('the question')
    await expect.poll(() => proxy.connections).toMatchObject([{ reason: 'client_closed' }])
  })

  it('the backend first: the client may still speak', async () => {
    const heard = Promise.withResolvers<Buffer>()
    await using server = await new TestServer((socket) => {
      socket.end('goodbye')
      readAll(socket).then(heard.resolve, heard.reject)
    }).start()
    const { proxy, port } = await proxyTo(server.port, options)
    await using _ = proxy
    const client = await connectTo(port)
    client.write(echoHello)
    expect((await readAll(client)).toString()).toBe('goodbye')
    await sleep(20)
    client.end('one more thing')
    expect((await heard.promise).subarray(echoHello.length).toString()).toBe('one more thing')
    await expect.poll(() => proxy.connections).toMatchObject([{ reason: 'backend_closed' }])
  })
})

describe('a connection that breaks', () => {
  it('on the client side is closed on the other', async () => {
    await using echo = await echoServer()
    const { proxy, port } = await proxyTo(echo.port)
    await using _ = proxy
    const stream = await openStream(port)
    const [backendSocket] = echo.sockets
    stream.resetAndDestroy()
    await once(backendSocket ?? stream, 'close')
    await expect.poll(() => proxy.connections).toMatchObject([{ reason: 'client_error' }])
  })

  it('on the backend side is closed on the other, after what was sent has arrived', async () => {
    await using server = await new TestServer((socket) => {
      socket.once('data', () => socket.write('partial', () => setTimeout(() => socket.resetAndDestroy(), 20)))
    }).start()
    const { proxy, port } = await proxyTo(server.port)
    await using _ = proxy
    const client = await connectTo(port)
    client.write(echoHello)
    expect((await readAll(client)).toString()).toBe('partial')
    client.destroy()
    await expect.poll(() => proxy.connections).toMatchObject([{ reason: 'backend_error' }])
  })

  it('by silence is closed on both', async () => {
    await using echo = await echoServer()
    const { proxy, port } = await proxyTo(echo.port, { limits: { idleTimeoutMs: 100 } })
    await using _ = proxy
    const stream = await openStream(port)
    await readAll(stream)
    await expect.poll(() => proxy.connections).toMatchObject([{ reason: 'idle_timeout' }])
  })
})

// Hundreds of megabytes: on a busy machine that takes its time.
describe('back-pressure', { timeout: 120_000 }, () => {
  it('loses and mixes nothing when many clients read slowly', async () => {
    const contents = distinctContents({ count: 32, bytes: 6 * 1024 * 1024 })
    let next = 0
    await using server = await new TestServer((socket) => {
      socket.resume()
      socket.end(contents[next++] ?? '')
    }).start()
    const { proxy, port } = await proxyTo(server.port)
    await using _ = proxy
    const received = await Promise.all(
      contents.map(async () => {
        const client = await connectTo(port)
        client.write(echoHello)
        const sum = await readSlowly(client)
        client.end()
        return sum
      }),
    )
    expect(received.sort()).toEqual(contents.map(sumOf).sort())
  })

  it('loses and mixes nothing on the way up when backends read slowly', async () => {
    const sums: Promise<string>[] = []
    await using server = await new TestServer(async (socket) => {
      await readExactly(socket, echoHello.length)
      const sum = readSlowly(socket)
      sums.push(sum)
      await sum
      socket.end()
    }).start()
    const { proxy, port } = await proxyTo(server.port)
    await using _ = proxy
    const contents = distinctContents({ count: 32, bytes: 6 * 1024 * 1024 })
    await Promise.all(
      contents.map(async (bytes) => {
        const client = await connectTo(port)
        client.write(echoHello)
        client.end(bytes)
        await readAll(client)
      }),
    )
    expect((await Promise.all(sums)).sort()).toEqual(contents.map(sumOf).sort())
  })

  it('stops the sender instead of filling memory', async () => {
    let sentBytes = 0
    const chunk = Buffer.alloc(64 * 1024)
    await using server = await new TestServer((socket) => {
      const pump = () => {
        while (socket.writable && socket.write(chunk)) sentBytes += chunk.length
      }
      socket.on('drain', pump)
      socket.resume()
      pump()
    }).start()
    const { proxy, port } = await proxyTo(server.port)
    await using _ = proxy
    const clients = await Promise.all(Array.from({ length: 16 }, () => connectTo(port)))
    const before = process.memoryUsage().arrayBuffers
    for (const client of clients) client.write(echoHello)
    let last = -1
    await expect
      .poll(
        () => {
          const isStill = sentBytes === last && sentBytes > 0
          last = sentBytes
          return isStill
        },
        { interval: 100 },
      )
      .toBe(true)
    const perConnection = (process.memoryUsage().arrayBuffers - before) / clients.length
    expect(perConnection).toBeLessThan(512 * 1024)
    for (const client of clients) client.destroy()
  })
})
