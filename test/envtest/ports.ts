import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Free TCP ports on loopback. They lie below the range from which the kernel serves port 0 and outgoing connections, so
 * nobody is given one of them between our look and the start of the server that was told to use it.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = randomInt(20_000, 30_000)
    if (await isFree(port)) ports.add(port)
  }
  return [...ports]
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
