import { type DHCPServer, type DHCPServerInput, dhcpServerSchema } from '../../../api/dhcpserver.ts'
import { apiVersion } from '../../../api/meta.ts'
import { formatIpv4 } from '../../../core/net/ipv4.ts'
import { decode } from '../codec/decode.ts'
import { readSettings } from '../config.ts'
import { Bindings } from '../leases/bindings.ts'
import type { Lease } from '../leases/lease.ts'
import { handle } from '../protocol/dhcp-protocol.ts'
import type { Outcome } from '../protocol/outcome.ts'
import type { DhcpSettings } from '../protocol/settings.ts'
import { type PacketText, type ParsedReply, packet, parseReply } from './packets.ts'

type SpecInput = DHCPServerInput['spec']

interface ServerText {
  readonly cidr?: string
  readonly gateway?: string | undefined
  readonly serverIP?: string
  readonly dnsServers?: readonly string[]
  readonly range?: readonly [string, string]
  readonly leaseTime?: string
  readonly spec?: Partial<SpecInput>
  readonly resolved?: NonNullable<DHCPServerInput['status']>['resolved']
}

/** 192.168.100.0/24 with the server at .2, the gateway at .1 and the pool from .10 to .99, unless said otherwise. */
export function dhcpServer(text: ServerText = {}): DHCPServer {
  const [rangeStart, rangeEnd] = text.range ?? ['192.168.100.10', '192.168.100.99']
  const gateway = 'gateway' in text ? text.gateway : '192.168.100.1'
  return dhcpServerSchema.parse({
    apiVersion,
    kind: 'DHCPServer',
    metadata: { name: 'dhcp', namespace: 'vlan', generation: 1 },
    spec: {
      networkConfig: {
        cidr: text.cidr ?? '192.168.100.0/24',
        ...(gateway !== undefined && { gateway }),
        serverIP: text.serverIP ?? '192.168.100.2',
        dnsServers: [...(text.dnsServers ?? ['192.168.100.3'])],
      },
      leaseConfig: { rangeStart, rangeEnd, leaseTime: text.leaseTime ?? '1h' },
      ...text.spec,
    },
    ...(text.resolved && { status: { resolved: text.resolved } }),
  })
}

export function settingsOf(text: ServerText = {}): DhcpSettings {
  const settings = readSettings(dhcpServer(text))
  if (!settings.ok) throw new Error(JSON.stringify(settings.problems))
  return settings.value
}

interface Answer {
  /** `offer`, `ack`, `nak`, or the reason for silence, or `noted`. */
  readonly result: string
  readonly reply: ParsedReply | undefined
  /** Where it goes: an address, or `everybody`; and to which port. */
  readonly to: string | undefined
  readonly outcome: Outcome
}

/** The protocol with a clock of its own: a test sends packets as a client would and looks at the answers. */
export class Vlan {
  readonly bindings: Bindings
  settings: DhcpSettings
  nowMs = Date.UTC(2026, 0, 1)

  constructor(text: ServerText = {}, leases: readonly Lease[] = []) {
    this.settings = settingsOf(text)
    this.bindings = new Bindings(this.settings, leases)
  }

  configure(text: ServerText): void {
    this.settings = settingsOf(text)
    this.bindings.configure(this.settings)
  }

  pass(seconds: number): void {
    this.nowMs += seconds * 1000
  }

  send(text: PacketText): Answer {
    return this.sendBytes(packet(text))
  }

  sendBytes(bytes: Buffer): Answer {
    const message = decode(bytes)
    if (typeof message === 'string') throw new Error(`not read: ${message}`)
    this.bindings.sweep(this.nowMs)
    const outcome = handle(this.settings, this.bindings, message, this.nowMs)
    const [sent] = outcome.replies
    const reply = sent && parseReply(sent.bytes)
    const destination = sent?.destination === undefined ? 'everybody' : formatIpv4(sent.destination)
    return {
      result: reply?.type ?? outcome.silence ?? 'noted',
      reply,
      to: sent && `${destination} ${sent.port}`,
      outcome,
    }
  }

  /** A client that knows nothing gets an address. */
  join(mac: string, options: PacketText['options'] = []): string {
    const offer = this.send({ type: 'discover', mac, options })
    const offered = offer.reply?.yourAddress ?? 'none'
    const further = options.filter(([code]) => code !== 50)
    const ack = this.send({ type: 'request', mac, options: [[50, offered], [54, serverAddress(this)], ...further] })
    if (ack.result !== 'ack' || ack.reply?.yourAddress !== offered) throw new Error(`${mac} got ${ack.result}`)
    return offered
  }
}

function serverAddress(vlan: Vlan): string {
  return formatIpv4(vlan.settings.serverAddress)
}
