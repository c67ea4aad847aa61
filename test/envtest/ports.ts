import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

const [first, count] = [20_000, 10_000]
/** Counted up from anywhere: this process is never given a port twice, and two processes hardly the same. */
let turn = randomInt(count)

/**
 * Free TCP ports on loopback. They lie below the range from which the kernel serves port 0 and outgoing connections, so
 * nobody is given one of them between our look and the start of the server that was told to use it.
 */
export async function freePorts(wanted: number, address = '127.0.0.1'): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < wanted) {
    const port = first + (turn++ % count)
    if (await isFree(port, address)) ports.push(port)
  }
  return ports
}

function isFree(port: number, address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, address, () => server.close(() => resolve(true)))
  })
}
