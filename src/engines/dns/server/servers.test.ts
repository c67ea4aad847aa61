import { createSocket } from 'node:dgram'
import { connect, type Socket } from 'node:net'
import { decode } from 'dns-packet'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { bareAnswer } from '../codec/answer.ts'
import { MessageReader } from '../message-reader.ts'
import { Bench, dnsServer, domain, query, rcodeOf } from '../testing.ts'
import { Listener } from './listener.ts'
import { defaultTcpLimits, type TcpLimits } from './tcp.ts'
import { UdpServer } from './udp.ts'
import { chooseView } from './view-chooser.ts'

/** The machine may be busy: what has to come may take its time. */
vi.setConfig({ testTimeout: 60_000 })
const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 20_000 })

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

const vlan = { arrival: 'vlan' } as const
const localhost = '127.0.0.1'

async function tcpServer(bench: Bench, limits: Partial<TcpLimits> = {}): Promise<{ server: Listener; port: number }> {
  const { responder, counters } = bench
  const tcpLimits = { ...defaultTcpLimits, ...limits }
  const server = await Listener.open({ responder, counters, now: Date.now, tcpLimits }, localhost, 0, vlan)
  stops.push(() => server.close())
  return { server, port: server.port }
}

function client(port: number): { socket: Socket; replies: Buffer[]; reads: number[]; closed: Promise<void> } {
  const socket = connect(port, localhost)
  const reader = new MessageReader()
  const made = {
    socket,
    replies: [] as Buffer[],
    reads: [] as number[],
    closed: new Promise<void>((resolve) => socket.on('close', () => resolve())),
  }
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    const messages = reader.read(chunk)
    made.reads.push(messages.length)
    made.replies.push(...messages.map((message) => Buffer.from(message)))
  })
  stops.push(() => socket.destroy())
  return made
}

function framed(...packets: readonly Uint8Array[]): Buffer {
  return Buffer.concat(packets.flatMap((packet) => [Uint8Array.of(packet.length >> 8, packet.length & 255), packet]))
}

describe('over TCP', () => {
  it('many queries in one piece get their replies in one piece', async () => {
    const { port } = await tcpServer(new Bench(dnsServer()))
    const { socket, replies, reads } = client(port)
    socket.write(framed(...Array.from({ length: 50 }, (_, id) => query(`api.${domain}`, 'A', { id }))))
    await eventually(() => replies.length).toBe(50)
    expect(replies.map((reply) => decode(reply).id)).toEqual(Array.from({ length: 50 }, (_, id) => id))
    expect(reads).toEqual([50])
  })

  it('a query in pieces of one byte gets its reply', async () => {
    const { port } = await tcpServer(new Bench(dnsServer()))
    const { socket, replies } = client(port)
    socket.setNoDelay(true)
    for (const byte of framed(query(`api.${domain}`, 'A'), query(`nope.${domain}`, 'A'))) {
      socket.write(Uint8Array.of(byte))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await eventually(() => replies.length).toBe(2)
    expect(replies.map((reply) => rcodeOf(decode(reply)))).toEqual(['NOERROR', 'NXDOMAIN'])
  })

  it('a reply that had to wait comes when it is there, after later ones, also when the client has ended', async () => {
    const bench = new Bench(dnsServer())
    const { port } = await tcpServer(bench)
    const { socket, replies, closed } = client(port)
    socket.end(framed(query('www.example.net', 'A', { id: 1 }), query(`api.${domain}`, 'A', { id: 2 })))
    await eventually(() => replies.length).toBe(1)
    bench.asked[0]?.done({ answer: bareAnswer(3), storedAtMs: 0, extendedError: -1 })
    await closed
    expect(replies.map((reply) => decode(reply).id)).toEqual([2, 1])
  })

  it('an idle connection is closed, one that trickles bytes too, one that waits for a reply is not', async () => {
    const bench = new Bench(dnsServer())
    const { port, server } = await tcpServer(bench, { idleMs: 1000 })
    const [idle, trickling, waiting] = [client(port), client(port), client(port)]
    waiting.socket.write(framed(query('www.example.net', 'A')))
    const trickle = setInterval(() => trickling.socket.write(Uint8Array.of(0)), 20)
    stops.push(() => clearInterval(trickle))
    trickling.socket.write(Uint8Array.of(0xff, 0xff))
    await Promise.all([idle.closed, trickling.closed])
    await eventually(() => server.connectionCount).toBe(1)
    bench.asked[0]?.done({ answer: bareAnswer(3), storedAtMs: 0, extendedError: -1 })
    await eventually(() => waiting.replies.length).toBe(1)
  })

  it('one client has so many connections and no more', async () => {
    const bench = new Bench(dnsServer())
    const { port, server } = await tcpServer(bench, { connectionsPerClient: 2 })
    const clients = [client(port), client(port)]
    await eventually(() => server.connectionCount).toBe(2)
    await client(port).closed
    expect(bench.counters.dropSamples()).toContainEqual({ labels: { reason: 'connections-full' }, value: 1 })
    clients[0]?.socket.destroy()
    await eventually(() => server.connectionCount).toBe(1)
  })

  it('a client that does not read is not read from either', async () => {
    const staticEntries = Array.from({ length: 400 }, (_, index) => ({
      hostname: `big.${domain}`,
      ip: `10.0.${index >> 8}.${index & 255}`,
    }))
    const bench = new Bench(dnsServer({ staticEntries }))
    const { port } = await tcpServer(bench)
    const { socket } = client(port)
    socket.pause()
    const batch = framed(...Array.from({ length: 2000 }, () => query(`big.${domain}`, 'A')))
    let written = 0
    while (socket.write(batch) || socket.writableLength < 1 << 20) {
      written += 2000
      await new Promise((resolve) => setTimeout(resolve, 1))
      if (written > 200_000) break
    }
    const answered = () => bench.counters.replyCount
    await eventually(async () => {
      const before = answered()
      await new Promise((resolve) => setTimeout(resolve, 50))
      return answered() === before
    }).toBe(true)
    expect(answered()).toBeLessThan(written)
  })
})

describe('over UDP', () => {
  it('answers, and drops what cannot be answered', async () => {
    const { responder, counters } = new Bench(dnsServer())
    const server = await UdpServer.open({ address: localhost, port: 0, responder, counters }, vlan)
    stops.push(() => server.close())
    const socket = createSocket('udp4')
    stops.push(() => socket.close())
    const reply = new Promise<Buffer>((resolve) => socket.once('message', resolve))
    socket.send(Uint8Array.of(1, 2, 3), server.port, localhost)
    socket.send(query(`api.${domain}`, 'A'), server.port, localhost)
    expect(rcodeOf(decode(await reply))).toBe('NOERROR')
    server.handle(query(`api.${domain}`, 'A'), { address: localhost, port: 0 })
    server.stopAccepting()
    server.handle(query(`api.${domain}`, 'A'), { address: localhost, port: 9 })
    const drops = counters.dropSamples().filter(({ value }) => value > 0)
    expect(drops.map(({ labels }) => labels?.reason)).toEqual(['short', 'port-zero', 'stopping'])
  })
})

describe('the view', () => {
  const network = { network: 0xc0a86400, prefixLength: 24 }
  it.each([
    ['vlan', '10.128.0.9', 'vlan'],
    ['pod', '192.168.100.7', 'pod'],
    ['both', '192.168.100.7', 'vlan'],
    ['both', '192.168.101.7', 'pod'],
    ['both', 'fd00::1', 'pod'],
  ] as const)('at an address of %s, for %s: %s', (arrival, from, expected) => {
    expect(chooseView({ arrival, vlan: network }, from)).toBe(expected)
  })
})
