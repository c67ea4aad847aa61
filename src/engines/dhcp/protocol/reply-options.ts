import { answerClientFqdn } from '../codec/client-fqdn.ts'
import type { Message } from '../codec/message.ts'
import { option } from '../codec/numbers.ts'
import { encodedLength } from '../codec/reply-writer.ts'
import type { DhcpSettings, KnownClient } from './settings.ts'

export interface OptionValue {
  readonly code: number
  readonly value: Uint8Array
}

/** Sent whether asked for or not: a client without them has no use for its address. */
const essentialCodes: readonly number[] = [option.subnetMask, option.router, option.domainNameServers]
const alwaysSent: readonly number[] = [...essentialCodes, option.domainName]

/**
 * The options with which a client is configured, in the order it asked for them (RFC 2132 section 9.8), the mask ahead
 * of the router (section 3.3). They are looked up anew for each answer, so a changed DHCPServer reaches every client
 * with its next renewal.
 */
export function configuringOptions(settings: DhcpSettings, client: KnownClient, message: Message): OptionValue[] {
  const values: OptionValue[] = []
  const sent = new Set<number>()
  const asked = message.parameterRequestList
  const send = (code: number) => {
    if (sent.has(code)) return
    sent.add(code)
    if (code === option.router) {
      send(option.subnetMask)
      // A client that takes routes ignores the router, and should see them first (RFC 3442).
      if (asked?.includes(option.classlessRoutes)) send(option.classlessRoutes)
    }
    const value = optionFor(settings, client, code)
    if (value !== undefined) values.push({ code, value })
  }
  for (const code of asked ?? everything(settings)) send(code)
  for (const code of alwaysSent) send(code)
  const fqdn = fqdnValue(settings, client, message)
  if (fqdn !== undefined) values.push({ code: option.clientFqdn, value: fqdn })
  return values
}

function everything(settings: DhcpSettings): number[] {
  return [...settings.options.keys(), option.hostname]
}

function optionFor(settings: DhcpSettings, client: KnownClient, code: number): Uint8Array | undefined {
  const given = settings.options.get(code)
  if (code === option.hostname && client.hostname !== '') return Buffer.from(client.hostname, 'latin1')
  if (code === option.classlessRoutesOfWindows) return given ?? settings.options.get(option.classlessRoutes)
  return given
}

function fqdnValue(settings: DhcpSettings, client: KnownClient, message: Message): Uint8Array | undefined {
  if (message.clientFqdn === undefined || client.hostname === '') return undefined
  const isFull = client.hostname.includes('.') || settings.domainName === undefined
  return answerClientFqdn(message.clientFqdn, isFull ? client.hostname : `${client.hostname}.${settings.domainName}`)
}

/** Leaves out the last of what the client can do without, until the rest fits. */
export function fitting(values: readonly OptionValue[], room: number): OptionValue[] {
  const kept = [...values]
  let length = values.reduce((sum, { value }) => sum + encodedLength(value), 0)
  for (let index = kept.length - 1; index >= 0 && length > room; index--) {
    const candidate = kept[index]
    if (candidate === undefined || essentialCodes.includes(candidate.code)) continue
    length -= encodedLength(candidate.value)
    kept.splice(index, 1)
  }
  return kept
}
