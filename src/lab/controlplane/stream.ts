import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { createServer } from 'node:tls'
import type { StreamService } from './service.ts'

/** Stands for konnectivity: the node dials, and the stream stays. The age in the answer tells that it is the same one. */
export function serveStream(service: StreamService): Promise<void> {
  const identity = { cert: readFileSync(service.certificate), key: readFileSync(service.key) }
  const server = createServer(identity, (socket) => {
    const openedMs = performance.now()
    socket.on('error', () => socket.destroy())
    createInterface({ input: socket }).on('line', (line) => {
      const [word, id] = line.split(' ')
      if (word !== 'ping') return socket.destroy()
      return socket.write(`pong ${id} after ${Math.round(performance.now() - openedMs)} ms\n`)
    })
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(service.port, service.address, resolve)
  })
}
