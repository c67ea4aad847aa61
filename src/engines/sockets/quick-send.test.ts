import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { isQuick, quickSend } from './quick-send.ts'

const open: Socket[] = []

afterEach(() => {
  for (const socket of open.splice(0)) socket.close()
})

async function bound(family: 4 | 6 = 4): Promise<{ socket: Socket; port: number; address: string }> {
  const socket = createSocket({
    type: `udp${family}`,
    lookup: (hostname, _options, callback) => callback(null, hostname, family),
  })
  const address = family === 4 ? '127.0.0.1' : '::1'
  await new Promise<void>((resolve) => socket.bind(0, address, resolve))
  open.push(socket)
  return { socket, port: socket.address().port, address }
}

function connect(socket: Socket, to: { port: number; address: string }): Promise<void> {
  return new Promise((resolve) => socket.connect(to.port, to.address, resolve))
}

async function heardBy(socket: Socket): Promise<string> {
  const [packet] = await once(socket, 'message')
  return String(packet)
}

it('the Node of this project has the handle it takes', async () => {
  expect(isQuick(quickSend((await bound()).socket))).toBe(true)
})

describe.each([
  { way: 'by the handle', isPlain: false },
  { way: 'as documented', isPlain: true },
])('a datagram sent $way', ({ isPlain }) => {
  it.each([4, 6] as const)('arrives, over IPv%d', async (family) => {
    const [from, to] = [await bound(family), await bound(family)]
    const heard = heardBy(to.socket)
    expect(quickSend(from.socket, isPlain).to(Buffer.from('hello'), to.port, to.address)).toBe('sent')
    expect(await heard).toBe('hello')
  })

  it('may share its buffer with the next one', async () => {
    const [from, to] = [await bound(), await bound()]
    const heard: string[] = []
    to.socket.on('message', (packet) => heard.push(String(packet)))
    const sending = quickSend(from.socket, isPlain)
    const bytes = Buffer.alloc(2)
    for (let count = 10; count < 60; count++) {
      bytes.write(`${count}`)
      expect(sending.to(bytes, to.port, to.address)).toBe('sent')
    }
    await expect.poll(() => heard).toEqual(Array.from({ length: 50 }, (_, index) => `${index + 10}`))
  })

  it('reaches the one that its socket is connected with', async () => {
    const [from, to] = [await bound(), await bound()]
    await connect(from.socket, to)
    const heard = heardBy(to.socket)
    expect(quickSend(from.socket, isPlain).back(Buffer.from('hello'))).toBe('sent')
    expect(await heard).toBe('hello')
  })

  it('to a port where nobody listens fails, one way or the other', async () => {
    const [from, gone] = [await bound(), await bound()]
    gone.socket.close()
    open.splice(open.indexOf(gone.socket), 1)
    let hasFailed = false
    from.socket.on('error', () => {
      hasFailed = true
    })
    await connect(from.socket, gone)
    const sending = quickSend(from.socket, isPlain)
    await expect
      .poll(() => {
        if (sending.back(Buffer.from('hello')) === 'failed') hasFailed = true
        return hasFailed
      })
      .toBe(true)
  })

  it('to an address that cannot be reached changes nothing for the next one', async () => {
    const [from, to] = [await bound(), await bound()]
    const sending = quickSend(from.socket, isPlain)
    sending.to(Buffer.from('lost'), 9, '255.255.255.255')
    const heard = heardBy(to.socket)
    sending.to(Buffer.from('hello'), to.port, to.address)
    expect(await heard).toBe('hello')
  })
})

it('after the socket was closed nothing is sent, and nothing thrown', async () => {
  const { socket } = await bound()
  const sending = quickSend(socket)
  socket.close()
  open.splice(0)
  expect(sending.to(Buffer.from('late'), 9, '127.0.0.1')).toBe('failed')
})
