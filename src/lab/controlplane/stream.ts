import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { createServer, type TLSSocket } from 'node:tls'
import type { Listening, StreamService } from './service.ts'

/** Stands for konnectivity: the node dials, and the stream stays. The age in the answer tells that it is the same one. */
export function serveStream(service: StreamService): Promise<Listening> {
  const identity = { cert: readFileSync(service.certificate), key: readFileSync(service.key) }
  const open = new Set<TLSSocket>()
  const server = createServer(identity, (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    const openedMs = performance.now()
    socket.on('error', () => socket.destroy())
    createInterface({ input: socket }).on('line', (line) => {
      const [word, id] = line.split(' ')
      if (word !== 'ping') return socket.destroy()
      return socket.write(`pong ${id} after ${Math.round(performance.now() - openedMs)} ms\n`)
    })
  })
  const close = (): void => {
    server.close()
    for (const socket of open) socket.destroy()
  }
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(service.port, service.address, () => resolve({ close }))
  })
}
