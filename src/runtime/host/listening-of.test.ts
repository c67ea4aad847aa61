import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { listensAt } from './listening-of.ts'

test('a process listens where it has a socket itself, not where another one has', async () => {
  const socket = createSocket('udp4').bind(0, '127.0.0.5')
  await once(socket, 'listening')
  const server = createServer().listen(0, '127.0.0.5')
  await once(server, 'listening')
  const at = server.address()
  const udp = { protocol: 'udp', address: '127.0.0.5', port: socket.address().port } as const
  const tcp = { protocol: 'tcp', address: '127.0.0.5', port: typeof at === 'object' ? (at?.port ?? 0) : 0 } as const
  expect(await listensAt(process.pid, [udp, tcp])).toBe(true)
  expect(await listensAt(process.pid, [udp, { ...tcp, address: '127.0.0.6' }])).toBe(false)
  expect(await listensAt(process.ppid, [udp])).toBe(false)
  expect(await listensAt(2 ** 30, [udp])).toBe(false)
  socket.close()
  server.close()
})
