import { type DecodedPacket, decode, encode } from 'dns-packet'
import { type DNSServer, type DNSServerInput, dnsServerSchema } from '../../api/dnsserver.ts'
import { apiVersion } from '../../api/meta.ts'
import { createLogger } from '../../runtime/observe/log.ts'
import { ServerCookies } from './codec/cookie.ts'
import { encodeName } from './codec/name.ts'
import { headerLength, messageLimit, recordType } from './codec/numbers.ts'
import type { Transport } from './codec/query.ts'
import type { Question } from './codec/question.ts'
import { readConfig } from './config.ts'
import { AnswerCache, type KeptAnswer } from './forward/cache.ts'
import { AskedNames } from './server/asked-names.ts'
import { QueryCounters } from './server/counters.ts'
import { QueryLog } from './server/query-log.ts'
import { ReplyRateLimit } from './server/rate-limit.ts'
import { Responder } from './server/responder.ts'
import type { Sender } from './server/sender.ts'
import { parseAddresses } from './zone/address.ts'
import { Horizon } from './zone/horizon.ts'
import { NameSet } from './zone/name-set.ts'
import type { NameTree } from './zone/name-tree.ts'
import { unknownAddresses, type ViewName } from './zone/records.ts'

/** What the unit tests share: a DNSServer to start from, and a server without sockets. */

export const domain = 'c1.example.com'
const seed = 0x5eed

type Spec = DNSServerInput['spec']
export type SpecPatch = Partial<Omit<Spec, 'networkConfig'>> & {
  readonly networkConfig?: Partial<Spec['networkConfig']>
}

export function dnsServer(
  patch: SpecPatch = {},
  status: DNSServerInput['status'] = undefined,
  generation = 1,
): DNSServer {
  return dnsServerSchema.parse({
    apiVersion,
    kind: 'DNSServer',
    metadata: { name: 'vlan-dns', generation },
    spec: {
      hostedClusterDomain: domain,
      staticEntries: [
        { hostname: `api.${domain}`, ip: '192.168.100.10' },
        { hostname: `*.apps.${domain}`, ip: '192.168.100.50' },
      ],
      ...patch,
      networkConfig: {
        serverIP: '192.168.100.3',
        proxyIP: '192.168.100.10',
        internalProxyIP: '172.30.0.10',
        secondaryNetworkCIDR: '192.168.100.0/24',
        ...patch.networkConfig,
      },
    },
    ...(status === undefined ? {} : { status }),
  })
}

interface BenchOptions {
  readonly podAddresses?: readonly string[]
  readonly withheld?: readonly string[]
  readonly now?: () => number
}

/** The pure middle of the server: bytes in, bytes out, and a list of what would have been forwarded. */
export class Bench {
  readonly cache = new AnswerCache(1 << 20)
  readonly counters = new QueryCounters()
  readonly asked: { readonly question: Question; readonly done: (kept: KeptAnswer) => void }[] = []
  readonly responder: Responder
  readonly log: string[] = []
  readonly queryLog: QueryLog
  readonly #horizon = new Horizon(seed)
  readonly #options: BenchOptions
  readonly #out = new Uint8Array(messageLimit)

  constructor(resource: DNSServer, options: BenchOptions = {}) {
    this.#options = options
    const { cache, counters } = this
    const lines = { write: (line: string) => void this.log.push(line) }
    this.queryLog = new QueryLog(createLogger('info', lines), options.now ?? (() => 0))
    this.responder = new Responder({
      seed,
      cache,
      counters,
      cookies: new ServerCookies(() => new Uint8Array(16).fill(7)),
      rateLimit: new ReplyRateLimit(seed),
      queryLog: this.queryLog,
      askedNames: new AskedNames(seed, options.now ?? (() => 0)),
      now: options.now ?? (() => 0),
      ask: (question, done) => this.asked.push({ question, done }),
    })
    this.apply(resource)
  }

  apply(resource: DNSServer): void {
    const config = readConfig(resource, this.#options.podAddresses ?? ['10.128.0.5'])
    if (!config.ok) throw new Error(config.problems.map((problem) => problem.message).join())
    const { internalProxy, zoneKey, zoneSource, machines, forwards } = config.value
    const proxy = internalProxy.type === 'addresses' ? parseAddresses(internalProxy.addresses) : unknownAddresses
    const { views } = this.#horizon.update(zoneKey, (serial) => zoneSource(proxy, serial), machines, 1)
    this.responder.serve({
      vlan: { names: views.vlan, forwards, withheld: new NameSet(seed, this.#options.withheld ?? []) },
      pod: { names: views.pod, forwards, withheld: new NameSet(seed, []) },
    })
  }

  /** Names that no manifest could give, in both views. */
  serveTree(build: (seed: number) => NameTree): void {
    const view = { names: build(seed), forwards: true, withheld: new NameSet(seed, []) }
    this.responder.serve({ vlan: view, pod: view })
  }

  /** The reply's bytes, 'none' for a drop, 'later' for a question that went to an upstream. */
  send(packet: Uint8Array, view: ViewName = 'vlan', transport: Transport = 'udp'): Uint8Array | 'none' | 'later' {
    return this.sendFrom(senderAt(view, transport), packet)
  }

  sendFrom(sender: Sender, packet: Uint8Array): Uint8Array | 'none' | 'later' {
    const length = this.responder.respond(packet, sender, this.#out, 0)
    if (length === 0) return 'none'
    if (length < 0) return 'later'
    return this.#out.slice(0, length)
  }

  ask(name: string, type = 'A', view: ViewName = 'vlan'): Outcome {
    const reply = this.send(query(name, type), view)
    return typeof reply === 'string' ? { rcode: reply, answers: [], authority: [] } : outcome(reply)
  }
}

/** A client on that side. */
export function senderAt(view: ViewName, transport: Transport = 'udp', mayBeForged = false): Sender {
  const addressBytes = view === 'vlan' ? Uint8Array.of(192, 168, 100, 60) : Uint8Array.of(10, 128, 0, 9)
  return { address: addressBytes.join('.'), addressBytes, transport, view, mayBeForged }
}

/** A reply as an independent decoder reads it. */
export interface Outcome {
  readonly rcode: string
  readonly authoritative?: boolean
  readonly answers: readonly string[]
  readonly authority: readonly string[]
}

export function outcome(reply: Uint8Array): Outcome {
  const packet = decode(Buffer.from(reply))
  return {
    rcode: rcodeOf(packet),
    authoritative: packet.flag_aa,
    answers: (packet.answers ?? []).map(text),
    authority: (packet.authorities ?? []).map(text),
  }
}

export function rcodeOf(packet: DecodedPacket): string {
  return 'rcode' in packet ? String(packet.rcode) : ''
}

function text(answer: NonNullable<DecodedPacket['answers']>[number]): string {
  const data = 'data' in answer ? answer.data : undefined
  const value = typeof data === 'object' && data !== null && 'mname' in data ? data.mname : data
  return `${answer.name} ${answer.type} ${typeof value === 'string' ? value : JSON.stringify(value)}`
}

export function query(name: string, type: string, extra: Parameters<typeof encode>[0] = {}): Uint8Array {
  const packet = encode({
    type: 'query',
    id: 0x1234,
    flags: 0x0100,
    questions: [{ name, type, class: 'IN' } as never],
    ...extra,
  })
  // The encoder writes 0 for the types it has not heard of.
  const newerType = new Map([
    ['SVCB', recordType.SVCB],
    ['HTTPS', recordType.HTTPS],
  ]).get(type)
  if (newerType !== undefined) packet.writeUInt16BE(newerType, headerLength + encodeName(name).length)
  return packet
}

export function withOpt(option: { udpPayloadSize?: number; flags?: number; ednsVersion?: number } = {}) {
  const opt = { type: 'OPT', name: '.', udpPayloadSize: 4096, flags: 0, ednsVersion: 0, options: [], ...option }
  return { additionals: [opt as never] }
}
