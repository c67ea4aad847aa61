import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { option } from '../../../src/engines/dhcp/codec/numbers.ts'
import { packet, parseReply } from '../../../src/engines/dhcp/testing/packets.ts'
import { query } from '../../../src/engines/dns/testing.ts'
import { hello } from '../../../src/engines/proxy/testing/hello-builder.ts'

/** Clients that ask once and never again: whatever is not answered is counted. */

export class Tally {
  readonly #patienceMs: number
  asked = 0
  answered = 0
  readonly wrong: string[] = []
  readonly #waiting = new Map<number, NodeJS.Timeout>()
  readonly #askedAt = new Map<number, number>()
  readonly unanswered: number[] = []
  slowestMs = 0

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs
  }

  ask(id: number): void {
    this.asked += 1
    this.#askedAt.set(id, performance.now())
    this.#waiting.set(
      id,
      setTimeout(() => {
        this.#waiting.delete(id)
        this.unanswered.push(id)
      }, this.#patienceMs),
    )
  }

  answer(id: number, mistake?: string): void {
    const timer = this.#waiting.get(id)
    if (timer === undefined) return
    clearTimeout(timer)
    this.#waiting.delete(id)
    this.answered += 1
    this.slowestMs = Math.max(this.slowestMs, performance.now() - (this.#askedAt.get(id) ?? 0))
    if (mistake !== undefined) this.wrong.push(mistake)
  }

  async settled(): Promise<void> {
    while (this.#waiting.size > 0) await sleep(20)
  }

  report() {
    const { asked, answered, unanswered, wrong, slowestMs } = this
    return {
      asked,
      unanswered: unanswered.length,
      wrong: wrong.slice(0, 5),
      answered,
      slowestMs: Math.round(slowestMs),
    }
  }
}

/** Does this so many times a second until `stop`, evenly, also when the clock of the loop is coarse. */
export async function steadily(perSecond: number, stop: AbortSignal, ask: () => void): Promise<void> {
  const startedAtMs = performance.now()
  for (let done = 0; !stop.aborted; ) {
    const due = ((performance.now() - startedAtMs) * perSecond) / 1000
    for (; done < due; done++) ask()
    await sleep(1)
  }
}

async function bound(port: number, address: string): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true })
  socket.bind(port, address)
  await once(socket, 'listening')
  return socket
}

/** Queries for these names in turn, from many ports: which socket of a shared port gets one depends on where it is from. */
export async function dnsClients(
  patienceMs: number,
  server: string,
  from: string,
  names: readonly string[],
): Promise<{ tally: Tally; ask(): void }> {
  const tally = new Tally(patienceMs)
  const sockets = await Promise.all(Array.from({ length: 32 }, () => bound(0, from)))
  for (const socket of sockets) {
    socket.on('message', (reply) => {
      const code = reply.readUInt8(3) & 15
      const isEmpty = reply.readUInt16BE(6) === 0
      tally.answer(reply.readUInt16BE(0), code === 0 && !isEmpty ? undefined : `code ${code}, empty ${isEmpty}`)
    })
    socket.on('error', () => {})
  }
  let count = 0
  return {
    tally,
    ask: () => {
      const id = count++ & 0xffff
      tally.ask(id)
      const name = (names[count % names.length] ?? '').replace('#', String(count))
      sockets[count % sockets.length]?.send(query(name, 'A', { id } as never), 53, server)
    },
  }
}

/** A new connection with a server name, which counts when the one behind the proxy has answered. */
export function proxyClients(
  patienceMs: number,
  server: string,
  port: number,
  name: string,
): { tally: Tally; ask(): void } {
  const tally = new Tally(patienceMs)
  const greeting = hello(name)
  let count = 0
  return {
    tally,
    ask: () => {
      const id = count++
      tally.ask(id)
      const socket = connect(port, server)
      socket.once('connect', () => socket.write(greeting))
      socket.once('data', () => {
        tally.answer(id)
        socket.destroy()
      })
      socket.on('error', ({ message }) => tally.answer(id, message))
      socket.once('end', () => tally.answer(id, 'closed without an answer'))
    },
  }
}

/** A connection that stays. `carries` says so a last time, and ends it; it throws if it was cut. */
export async function openStream(server: string, port: number, name: string): Promise<{ carries(): Promise<void> }> {
  const socket = connect(port, server)
  const pong = async (greeting: Uint8Array) => {
    socket.write(Buffer.concat([greeting, Buffer.from('ping')]))
    const [answer] = await once(socket, 'data')
    if (String(answer) !== 'pong') throw new Error(`the stream carries ${answer}`)
  }
  await once(socket, 'connect')
  await pong(hello(name))
  return {
    carries: async () => {
      await pong(Buffer.alloc(0))
      socket.end()
    },
  }
}

function macOf(number: number): string {
  const hex = (0x0200_0000_0000 + number).toString(16).padStart(12, '0')
  return hex.replace(/(..)(?!$)/g, '$1:')
}

/** New machines that discover, by broadcast; the offer is the answer. */
export async function discoverers(patienceMs: number, from: string): Promise<{ tally: Tally; ask(): void }> {
  const tally = new Tally(patienceMs)
  const socket = await bound(68, '0.0.0.0')
  const sender = await bound(0, from)
  sender.setBroadcast(true)
  socket.on('message', (reply) => tally.answer(parseReply(reply).transactionId))
  let count = 0
  return {
    tally,
    ask: () => {
      const id = 0x5000_0000 + count++
      tally.ask(id)
      // The broadcast flag: there is no machine that could hear a unicast yet (RFC 2131 section 4.1).
      const bytes = packet({ type: 'discover', mac: macOf(0xabc000 + (count % 60)), transactionId: id, flags: 0x8000 })
      sender.send(bytes, 67, '255.255.255.255')
    },
  }
}

/** Machines that have an address, and renew it by unicast. `adopt` gives the host the address that one has got. */
export async function renewers(
  patienceMs: number,
  server: string,
  from: string,
  howMany: number,
  adopt: (address: string) => Promise<void>,
): Promise<{ tally: Tally; ask(): void }> {
  const tally = new Tally(patienceMs)
  const machines: { readonly mac: string; readonly address: string; readonly socket: Socket }[] = []
  for (let number = 0; number < howMany; number++) {
    const mac = macOf(0xde0000 + number)
    const address = await leaseFor(server, from, mac)
    await adopt(address)
    const socket = await bound(68, address)
    socket.on('message', (bytes) => {
      const reply = parseReply(bytes)
      tally.answer(reply.transactionId, reply.type === 'ack' ? undefined : reply.type)
    })
    machines.push({ mac, address, socket })
  }
  let count = 0
  return {
    tally,
    ask: () => {
      const machine = machines[count % machines.length]
      const id = 0x7000_0000 + count++
      tally.ask(id)
      if (!machine) return
      const { mac, address, socket } = machine
      socket.send(packet({ type: 'request', mac, clientAddress: address, transactionId: id }), 67, server)
    },
  }
}

/** The four messages of a first lease, over a relay on this host: an answer to it is no broadcast. */
async function leaseFor(server: string, relay: string, mac: string): Promise<string> {
  const socket = createSocket('udp4')
  socket.bind(67, relay)
  await once(socket, 'listening')
  const exchange = async (text: Parameters<typeof packet>[0]) => {
    socket.send(packet({ mac, relayAddress: relay, ...text }), 67, server)
    const [bytes] = await once(socket, 'message')
    return parseReply(bytes)
  }
  const { yourAddress } = await exchange({ type: 'discover' })
  const options = [
    [option.requestedAddress, yourAddress],
    [option.serverIdentifier, server],
  ] as const
  await exchange({ type: 'request', options })
  socket.close()
  return yourAddress
}
