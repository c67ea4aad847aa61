import { parseIpv4 } from '../../../core/net/ipv4.ts'
import { parseIpv6 } from '../../../core/net/ipv6.ts'
import { parseDnsName } from '../../../core/net/name.ts'
import { ByteReader } from './byte-reader.ts'

/** What a whole ClientHello says about the host it wants. A hello that cannot be read is never one without a name. */
export type RequestedName =
  | { readonly kind: 'named'; readonly serverName: string }
  | { readonly kind: 'nameless' }
  | { readonly kind: 'malformed' }

const nameless = { kind: 'nameless' } as const
const malformed = { kind: 'malformed' } as const

const serverNameExtension = 0
const hostNameType = 0

/** `body` is the ClientHello without its four-byte handshake header (RFC 8446 section 4.1.2). */
export function requestedNameOf(body: Uint8Array): RequestedName {
  const reader = new ByteReader(body)
  reader.skip(2 + 32) // legacy_version, random
  const sessionIdLength = reader.uint8()
  reader.skip(sessionIdLength)
  const cipherSuitesLength = reader.uint16()
  reader.skip(cipherSuitesLength)
  const compressionLength = reader.uint8()
  reader.skip(compressionLength)
  if (reader.overrun || sessionIdLength > 32 || compressionLength === 0) return malformed
  if (cipherSuitesLength === 0 || cipherSuitesLength % 2 !== 0) return malformed
  if (reader.remaining === 0) return nameless // TLS 1.2 and older may leave the extensions out
  const extensionsLength = reader.uint16()
  if (reader.overrun || extensionsLength !== reader.remaining) return malformed
  return nameInExtensions(reader)
}

function nameInExtensions(reader: ByteReader): RequestedName {
  const seen = new Set<number>()
  let name: RequestedName = nameless
  while (reader.remaining > 0) {
    const type = reader.uint16()
    const length = reader.uint16()
    const data = type === serverNameExtension ? reader.take(length) : reader.skip(length)
    // No type may come twice (RFC 8446 section 4.2): two names would let proxy and backend each believe another one.
    if (reader.overrun || seen.has(type)) return malformed
    seen.add(type)
    if (data) name = nameInList(data)
    if (name.kind === 'malformed') return malformed
  }
  return name
}

/** RFC 6066 section 3: a list of exactly one host_name. */
function nameInList(data: Uint8Array): RequestedName {
  const reader = new ByteReader(data)
  const listLength = reader.uint16()
  if (reader.overrun || listLength !== reader.remaining) return malformed
  const type = reader.uint8()
  const name = reader.take(reader.uint16())
  if (reader.overrun || type !== hostNameType || reader.remaining > 0) return malformed
  return name.length === 0 ? nameless : readName(name)
}

function readName(bytes: Uint8Array): RequestedName {
  if (bytes.length > 255) return malformed
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  // Addresses are not allowed as names, yet some clients send them; they mean "the host at this address".
  if (isWrittenAddress(text)) return nameless
  const serverName = parseDnsName(text)
  return serverName === undefined ? malformed : { kind: 'named', serverName }
}

function isWrittenAddress(text: string): boolean {
  if (text.includes(':')) return parseIpv6(text) !== undefined
  return parseIpv4(text.endsWith('.') ? text.slice(0, -1) : text) !== undefined
}
