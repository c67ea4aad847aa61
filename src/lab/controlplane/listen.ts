import type { Server } from 'node:http'
import type { Listening } from './service.ts'

/** Lets an HTTP or HTTPS server listen; its end is that of its connections, too. */
export function listenAt(server: Server, { port, address }: { port: number; address: string }): Promise<Listening> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    const close = (): void => {
      server.close()
      server.closeAllConnections()
    }
    server.listen(port, address, () => resolve({ close }))
  })
}
