import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { until } from '../../../lab/testing.ts'
import { Attempt } from '../targets/attempt.ts'
import { freePort, readAll } from '../testing/loopback.ts'
import { acceptFrom } from './accept.ts'
import { findTcpHandles, type TcpHandles } from './tcp-handles.ts'
import type { Wire } from './wire.ts'

/** What the proxy relies on, of connections with Node's sockets and without them: nobody may see a difference. */

const kinds: [string, TcpHandles | undefined][] = [
  ['without sockets of Node', findTcpHandles()],
  ['with them', undefined],
]

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

interface Listening {
  readonly port: number
  readonly accepted: Promise<{ readonly wire: Wire; readonly received: Buffer[] }>
}

/** Takes one connection in. */
async function listening(handles: TcpHandles | undefined): Promise<Listening> {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => server.close())
  const accepted = new Promise<Awaited<Listening['accepted']>>((resolve) => {
    acceptFrom(server, { keepAliveAfterMs: 45_000, handles }, (accept) => {
      const received: Buffer[] = []
      const onread = {
        buffer: () => Buffer.alloc(1024),
        callback: (count: number, bytes: Uint8Array) => take(count, bytes),
      }
      const take = (count: number, bytes: Uint8Array) => received.push(Buffer.from(bytes.subarray(0, count))) > 0
      const wire = accept(onread)
      wire.on('error', () => {})
      closers.push(() => wire.destroy())
      resolve({ wire, received })
    })
  })
  const address = server.address()
  return { port: typeof address === 'object' ? (address?.port ?? 0) : 0, accepted }
}

function attempt(port: number, handles: TcpHandles | undefined): Attempt {
  const onread = { buffer: Buffer.alloc(1024), callback: () => true }
  return new Attempt({ address: '127.0.0.1', port, timeoutMs: 5000, keepAliveAfterMs: 45_000, onread, handles })
}

function closedOf(wire: Wire): Promise<void> {
  return new Promise((resolve) => wire.once('close', resolve))
}

it('is what this Node has', () => {
  expect(findTcpHandles()).toBeDefined()
})

describe.each(kinds)('%s', (_, handles) => {
  it('ends one direction, then the other, and closes by itself', async () => {
    const { port, accepted } = await listening(handles)
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const { wire, received } = await accepted
    expect([wire.remoteAddress, wire.remotePort]).toEqual(['127.0.0.1', client.localPort])
    const ended = new Promise<void>((resolve) => wire.once('end', resolve))
    client.end('question')
    await ended
    expect(Buffer.concat(received).toString()).toBe('question')
    expect([wire.readableEnded, wire.destroyed]).toEqual([true, false])
    const closed = closedOf(wire)
    wire.write('answer')
    wire.end()
    expect((await readAll(client)).toString()).toBe('answer')
    await closed
    expect([wire.closed, wire.bytesRead]).toEqual([true, 8])
  })

  it('tells everybody who asks when the end is out, also later', async () => {
    const { port, accepted } = await listening(handles)
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const { wire } = await accepted
    await new Promise<void>((resolve) => wire.end(resolve))
    await new Promise<void>((resolve) => wire.end(() => resolve()))
    expect(wire.destroyed).toBe(false)
    client.destroy()
  })

  it('says when the kernel has taken all, in order', async () => {
    const { port, accepted } = await listening(handles)
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    client.pause()
    const { wire } = await accepted
    const block = Buffer.alloc(4 * 1024 * 1024, 'x')
    wire.write(block)
    wire.write(block)
    expect(wire.writableLength).toBeGreaterThan(0)
    const taken = new Promise<unknown>((resolve) => wire.write(Buffer.alloc(0), resolve))
    wire.end()
    const received = readAll(client)
    client.resume()
    expect((await taken) ?? undefined).toBeUndefined()
    expect((await received).length).toBe(2 * block.length)
    client.destroy()
  })

  it('reads nothing while it is paused', async () => {
    const { port, accepted } = await listening(handles)
    const client = connect({ port, host: '127.0.0.1' })
    const { wire, received } = await accepted
    wire.pause()
    client.write('first')
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(received).toEqual([])
    wire.resume()
    await until('what was sent', () => (received.length > 0 ? true : undefined))
    client.destroy()
  })

  it('reports a reset, and then that it is closed', async () => {
    const { port, accepted } = await listening(handles)
    const client = connect({ port, host: '127.0.0.1' })
    const { wire } = await accepted
    const heard: string[] = []
    wire.on('error', ({ message }) => heard.push(message))
    wire.once('close', () => heard.push('closed'))
    const closed = closedOf(wire)
    client.resetAndDestroy()
    await closed
    expect(heard).toEqual(['read ECONNRESET', 'closed'])
  })

  it('reports silence, and not while something comes', async () => {
    const { port, accepted } = await listening(handles)
    const client = connect({ port, host: '127.0.0.1' })
    const { wire } = await accepted
    let isSilent = false
    wire.setTimeout(200, () => {
      isSilent = true
    })
    for (let times = 0; times < 6; times += 1) {
      client.write('x')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const wasSilent = isSilent
    await until('silence', () => isSilent || undefined)
    // On a machine that stood still for so long there was silence before.
    expect([wasSilent, isSilent]).toContain(true)
    client.destroy()
  })

  it('says why there is no connection, in the same words', async () => {
    const port = await freePort()
    expect(await attempt(port, handles).failure).toBe(`connect ECONNREFUSED 127.0.0.1:${port}`)
  })

  it('drops what is not sent when it is destroyed', async () => {
    const { port, accepted } = await listening(handles)
    const client = connect({ port, host: '127.0.0.1' })
    client.on('error', () => {})
    client.pause()
    const { wire } = await accepted
    wire.write(Buffer.alloc(8 * 1024 * 1024))
    const closed = closedOf(wire)
    wire.destroy()
    wire.write('too late')
    await closed
    expect(wire.closed).toBe(true)
    client.destroy()
  })
})
