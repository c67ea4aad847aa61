import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { inheritedSockets, realSocketHost } from './inherited-sockets.ts'
import { readSocketTable } from './socket-table.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** Where Node keeps the descriptor of a server or a connection. */
function fdOf(holder: object): number {
  return Reflect.get(Reflect.get(holder, '_handle'), 'fd')
}

async function listening(address: string) {
  const server = createServer().listen(0, address)
  await once(server, 'listening')
  closing.push(() => server.close())
  const at = server.address()
  return { server, port: typeof at === 'object' ? (at?.port ?? 0) : 0 }
}

test('a listening socket is known by its address and port, and is not touched', async () => {
  const { server, port } = await listening('127.0.0.3')
  expect(inheritedSockets([{ fd: fdOf(server), name: 'oooi.socket' }])).toEqual({
    ok: true,
    value: [{ fd: fdOf(server), name: 'oooi.socket', place: { protocol: 'tcp', address: '127.0.0.3', port } }],
  })
})

test('so is one of IPv6', async () => {
  const { server, port } = await listening('::1')
  expect(inheritedSockets([{ fd: fdOf(server), name: 'a' }])).toMatchObject({
    value: [{ place: { protocol: 'tcp', address: '::1', port } }],
  })
})

test('and so is UDP, in the table of this kernel', async () => {
  const socket = createSocket('udp4').bind(0, '127.0.0.4')
  await once(socket, 'listening')
  closing.push(() => socket.close())
  const { port } = socket.address()
  const entry = realSocketHost.table().find((one) => one.address === '127.0.0.4' && one.port === port)
  expect(entry).toMatchObject({ protocol: 'udp', isListening: true })
})

test.each([
  ['not open', () => 9999, /^descriptor 9999 \(x\) is not open; LISTEN_FDS must be/],
  [
    'a file',
    () => openSync('/dev/null', 'r'),
    /is no socket; pass sockets of ListenStream= and ListenDatagram= only\.$/,
  ],
  [
    'a Unix socket',
    async () => {
      const server = createServer().listen('\0oooi-inherited-test')
      await once(server, 'listening')
      closing.push(() => server.close())
      return fdOf(server)
    },
    /is neither TCP nor UDP of this network; use ListenStream= or ListenDatagram= with address:port\.$/,
  ],
  [
    'a connection',
    async () => {
      const { port } = await listening('127.0.0.3')
      const socket = connect(port, '127.0.0.3')
      await once(socket, 'connect')
      closing.push(() => socket.destroy())
      return fdOf(socket)
    },
    /\(tcp 127\.0\.0\.1:\d+\) does not listen; use ListenStream= with Accept=no\.$/,
  ],
])('%s is refused with one sentence', async (_, open, message) => {
  const fd = await open()
  const found = inheritedSockets([{ fd, name: 'x' }])
  expect(found).toMatchObject({ ok: false, problems: [{ reason: 'SocketUnusable' }] })
  expect(found.ok ? '' : found.problems[0]?.message).toMatch(message)
})

test('a UDP socket that is connected is for one peer only', () => {
  const table = () => [{ inode: 7, protocol: 'udp' as const, address: '127.0.0.1', port: 53, isListening: false }]
  expect(inheritedSockets([{ fd: 3, name: 'x' }], { inodeOf: () => 7, table })).toMatchObject({
    problems: [{ message: 'descriptor 3 (x) (udp 127.0.0.1:53) is connected to one peer; use ListenDatagram=.' }],
  })
})

test('addresses are read in the byte order of the host', () => {
  const line = (address: string) => `  1: ${address}:0035 00000000:0000 0A 0:0 00:0 0 0 0 4711 1 0`
  expect(readSocketTable(line('0264A8C0'), 'tcp', true)).toMatchObject([{ address: '192.168.100.2', port: 53 }])
  expect(readSocketTable(line('C0A86402'), 'tcp', false)).toMatchObject([{ address: '192.168.100.2', inode: 4711 }])
  expect(readSocketTable('  sl  local_address rem_address   st\n\n', 'tcp', true)).toEqual([])
})
