import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { freePort } from '../proxy/testing/loopback.ts'
import { ProcessSockets } from './process-sockets.ts'
import type { Datagrams } from './sockets.ts'

const address = '127.0.0.7'

async function say(port: number, ...texts: string[]): Promise<void> {
  const socket = createSocket('udp4')
  for (const text of texts) await new Promise((resolve) => socket.send(text, port, address, resolve))
  socket.close()
}

function heardOn(datagrams: Datagrams): string[] {
  const heard: string[] = []
  datagrams.receive((packet) => heard.push(packet.toString()))
  return heard
}

async function connectionTo(port: number) {
  const socket = connect(port, address)
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

test('a place is bound by one owner, and a second one is refused it, though the port could be shared', async () => {
  const port = await freePort(address)
  const sockets = new ProcessSockets([], true)
  const listening = await sockets.of('a').listen(address, port)
  const datagrams = await sockets.of('a').bind(address, port)
  await expect(sockets.of('b').listen(address, port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
  await expect(sockets.of('b').bind(address, port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
  listening.close()
  datagrams.close()
})

test('a process that takes over has the places beside the other one, and nothing is lost on the way', async () => {
  const port = await freePort(address)
  const [before, after] = [new ProcessSockets([], true).of('a'), new ProcessSockets([], true)]
  const first = await before.bind(address, port)
  const firstHeard = heardOn(first)
  const firstListening = await before.listen(address, port)
  firstListening.accept((server) => () => server.off('connection', () => {}))
  const owner = after.of('a')
  const places = (['udp', 'tcp'] as const).map((protocol) => ({ protocol, address, port }))
  expect(await owner.reserve(places)).toEqual([])
  // Many senders, so that both sockets get some.
  const senders = Array.from({ length: 40 }, (_, index) => say(port, String(index)))
  await Promise.all(senders)
  const left = await first.retire()
  after.receiveLeft(left.map((datagram) => ({ ...datagram, place: { protocol: 'udp', address, port } })))
  firstListening.close()
  const waiting = await connectionTo(port)
  const second = await owner.bind(address, port)
  const secondHeard = heardOn(second)
  await say(port, '40')
  await expect.poll(() => firstHeard.length + secondHeard.length).toBe(41)
  expect(new Set([...firstHeard, ...secondHeard]).size).toBe(41)
  const listening = await owner.listen(address, port)
  listening.accept((server) => {
    server.on('connection', (socket) => socket.end('here'))
    return () => {}
  })
  expect(String((await once(waiting, 'data'))[0])).toBe('here')
  second.close()
  listening.close()
})

test('what cannot be reserved is told, and nothing is held', async () => {
  const port = await freePort(address)
  const stranger = createServer().listen(port, address)
  await once(stranger, 'listening')
  const owner = new ProcessSockets([], true).of('Infra c1')
  const places = (['udp', 'tcp'] as const).map((protocol) => ({ protocol, address, port }))
  const [problem] = await owner.reserve(places)
  expect(problem).toMatchObject({ reason: 'PortInUse', message: expect.stringContaining(`${address} port ${port}`) })
  const free = await new ProcessSockets([], false).of('b').bind(address, port)
  free.close()
  stranger.close()
})
