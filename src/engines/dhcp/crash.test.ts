import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { journalPath, readLeases } from './journal/open.ts'
import { LoopbackRelay } from './testing/relay.ts'
import { temporaryDirectory } from './testing/temporary-directory.ts'

const kills = process.env.OOOI_SOAK === '1' ? 100 : 10
const clientsAtOnce = 16
const leasesBeforeKill = 150
const serverAddress = '127.0.0.1'
const program = fileURLToPath(import.meta.resolve('./testing/server-process.ts'))

async function startServer(stateDir: string, port: number): Promise<ChildProcess> {
  const flags = ['--disable-warning=ExperimentalWarning', program, stateDir, String(port)]
  const server = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] })
  await Promise.race([
    once(server.stdout, 'data'),
    once(server, 'exit').then(() => Promise.reject(new Error('the server did not start'))),
  ])
  return server
}

/** Clients that come one after the other, and all that they were told. */
class Clients {
  readonly addressOf = new Map<string, string>()
  readonly #relay: LoopbackRelay
  #next = 0

  constructor(relay: LoopbackRelay) {
    this.#relay = relay
  }

  async arrive(until: () => boolean): Promise<void> {
    while (!until()) {
      const mac = `02:00:00:00:${hexOctet(this.#next >>> 8)}:${hexOctet(this.#next++ & 255)}`
      const offer = await this.#relay.ask({ type: 'discover', mac }, 200)
      if (offer === undefined) continue
      const options = [
        [50, offer.yourAddress],
        [54, serverAddress],
      ] as const
      const ack = await this.#relay.ask({ type: 'request', mac, options }, 200)
      if (ack?.type === 'ack') this.addressOf.set(mac, ack.yourAddress)
    }
  }
}

function hexOctet(value: number): string {
  return value.toString(16).padStart(2, '0')
}

test(`a server killed ${kills} times under load loses no lease it confirmed and gives none twice`, async () => {
  const stateDir = await temporaryDirectory()
  const relay = await LoopbackRelay.open(serverAddress)
  onTestFinished(() => relay.close())
  const clients = new Clients(relay)
  for (let kill = 0; kill < kills; kill++) {
    const server = await startServer(stateDir, relay.port)
    onTestFinished(() => void server.kill('SIGKILL'))
    const enough = clients.addressOf.size + leasesBeforeKill
    let isOver = false
    const arriving = Array.from({ length: clientsAtOnce }, () => clients.arrive(() => isOver))
    while (clients.addressOf.size < enough) await new Promise((resolve) => setTimeout(resolve, 2))
    // Right between two answers: many requests are under way.
    server.kill('SIGKILL')
    await once(server, 'exit')
    isOver = true
    await Promise.all(arriving)

    const read = await readLeases(journalPath(stateDir), Date.now())
    if (!read.ok) throw new Error(read.problems[0]?.message)
    const stored = new Map(
      read.value.filter(({ state }) => state === 'Active').map((lease) => [lease.mac, lease.address]),
    )
    const lost = [...clients.addressOf].filter(([mac, address]) => stored.get(mac) !== address)
    expect(lost).toEqual([])
    expect(new Set(clients.addressOf.values()).size).toBe(clients.addressOf.size)
  }
}, 600_000)
