import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { connectTo, readAll } from '../testing/loopback.ts'
import { type Accept, acceptFrom } from './accept.ts'
import { Flow } from './flow.ts'
import { ReadBufferPool } from './read-buffers.ts'
import { findTcpHandles } from './tcp-handles.ts'
import type { Wire } from './wire.ts'

/** Node's inner handle, or the documented way that is left when a version of Node has none: nobody may see a difference. */
it.each([
  ['without sockets of Node', findTcpHandles()],
  ['with them', undefined],
])('reads and echoes what came in, %s', async (_, handles) => {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const accepted: Wire[] = []
  acceptFrom(server, { keepAliveAfterMs: 45_000, handles }, (accept) => accepted.push(echoOn(accept)))
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const sent = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251))
  const clients = await Promise.all(Array.from({ length: 3 }, () => connectTo(port)))
  for (const client of clients) client.end(sent)
  for (const received of await Promise.all(clients.map(readAll))) expect(received.equals(sent)).toBe(true)
  expect(accepted.map(({ bytesRead }) => bytesRead)).toEqual(clients.map(() => sent.length))
  server.close()
})

function echoOn(accept: Accept): Wire {
  const flow = new Flow(new ReadBufferPool())
  const socket = accept(flow.onread)
  flow.join(socket, socket)
  socket.on('end', () => socket.end())
  return socket
}
