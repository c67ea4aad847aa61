import { once } from 'node:events'
import { connect, createServer } from 'node:net'

/** Passes TCP on to an API server and counts: what goes over the wire, whoever the client is. */
export interface Relay extends AsyncDisposable {
  readonly url: string
  /** Since the last time it was asked. */
  count(): { readonly connections: number; readonly bytesUp: number; readonly bytesDown: number }
}

export async function startRelay(target: URL): Promise<Relay> {
  let counts = { connections: 0, bytesUp: 0, bytesDown: 0 }
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    counts.connections++
    client.on('data', (chunk) => {
      counts.bytesUp += chunk.length
    })
    upstream.on('data', (chunk) => {
      counts.bytesDown += chunk.length
    })
    client.on('error', () => upstream.destroy())
    upstream.on('error', () => client.destroy())
    client.pipe(upstream).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `https://127.0.0.1:${port}`,
    count() {
      const before = counts
      counts = { connections: 0, bytesUp: 0, bytesDown: 0 }
      return before
    },
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}
