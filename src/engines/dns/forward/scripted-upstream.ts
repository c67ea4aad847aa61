import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'
import { type DecodedPacket, decode, encode } from 'dns-packet'
import type { UpstreamAddress } from './upstream-address.ts'

/** How an upstream of the tests behaves: given a query, what to send back (undefined: nothing), and how often it was asked. */
export type Script = (query: DecodedPacket, via: 'udp' | 'tcp', count: number) => Uint8Array | Uint8Array[] | undefined

/** An upstream on loopback that does what the test says, good or bad. */
export class ScriptedUpstream {
  readonly queries: DecodedPacket[] = []
  readonly sourcePorts = new Set<number>()
  readonly #udp = createSocket('udp4')
  readonly #tcp = createServer()
  script: Script

  static async start(script: Script): Promise<ScriptedUpstream> {
    for (;;) {
      const upstream = new ScriptedUpstream(script)
      if (await upstream.#listen()) return upstream
      upstream.#tcp.close()
    }
  }

  private constructor(script: Script) {
    this.script = script
  }

  get address(): UpstreamAddress {
    return { address: '127.0.0.1', port: this.#udp.address().port, family: 4 }
  }

  /** False: the port that TCP got was taken for UDP. */
  async #listen(): Promise<boolean> {
    this.#udp.on('message', (packet, from) => {
      this.sourcePorts.add(from.port)
      for (const reply of this.#replies(packet, 'udp')) this.#udp.send(reply, from.port, from.address)
    })
    this.#tcp.on('connection', (socket) => {
      socket.on('error', () => {})
      socket.on('data', (chunk) => {
        for (const reply of this.#replies(chunk.subarray(2), 'tcp')) {
          socket.write(Uint8Array.of(reply.length >> 8, reply.length & 255))
          socket.write(reply)
        }
      })
    })
    await new Promise<void>((resolve) => this.#tcp.listen(0, '127.0.0.1', resolve))
    const place = this.#tcp.address()
    const port = typeof place === 'object' && place !== null ? place.port : 0
    return new Promise((resolve) => {
      this.#udp.once('error', () => resolve(false))
      this.#udp.bind(port, '127.0.0.1', () => resolve(true))
    })
  }

  #replies(packet: Buffer, via: 'udp' | 'tcp'): Uint8Array[] {
    const query = decode(packet)
    // The probe for loops is not what the tests are about.
    if (query.questions?.[0]?.type === 'HINFO') return []
    this.queries.push(query)
    const replies = this.script(query, via, this.queries.length) ?? []
    return replies instanceof Uint8Array ? [replies] : replies
  }

  stop(): void {
    this.#udp.close()
    this.#tcp.close()
  }
}

interface ReplyParts {
  readonly id?: number
  readonly flags?: number
  readonly ttl?: number
  readonly addresses?: readonly string[]
}

/** A well-formed answer to the query, with whatever the test wants different. */
export function answerTo(
  query: DecodedPacket,
  { id, flags = 0x0180, ttl = 300, addresses = ['192.0.2.1'] }: ReplyParts = {},
) {
  const [question] = query.questions ?? []
  const name = question?.name ?? ''
  return encode({
    type: 'response',
    id: id ?? query.id ?? 0,
    flags,
    questions: query.questions ?? [],
    answers: question?.type === 'A' ? addresses.map((data) => ({ name, type: 'A' as const, ttl, data })) : [],
  })
}
