import { parseIpv4 } from '../../../core/net/ipv4.ts'
import { parseDnsName } from '../../../core/net/name.ts'
import type { HelloFault, HelloVerdict } from './client-hello.ts'
import { GrowingBytes } from './growing-bytes.ts'

const maxHeadBytes = 16_384
const [carriageReturn, lineFeed] = [13, 10]

const requestLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ (\S+) HTTP\/1\.[01]$/
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/

const malformed: HelloVerdict = { kind: 'fault', fault: 'malformed' }
const nameless: HelloVerdict = { kind: 'nameless' }

/**
 * Reads the head of an HTTP/1 request as it comes, until it says which host is wanted. Strict where two readers could
 * understand two things: a backend must not see another host than the one the connection was routed by.
 */
export class HttpHeadReader {
  readonly #wire = new GrowingBytes()
  #scanned = 0
  #verdict: HelloVerdict | undefined

  /** Everything pushed so far, to be sent on as it is. */
  get received(): Uint8Array {
    return this.#wire.view()
  }

  push(bytes: Uint8Array): HelloVerdict | undefined {
    this.#wire.append(bytes)
    this.#verdict ??= this.#read(this.#wire.view())
    return this.#verdict
  }

  #read(wire: Uint8Array): HelloVerdict | undefined {
    const end = this.#findEnd(wire)
    if (end === undefined) return wire.length > maxHeadBytes ? fault('too_large') : undefined
    if (end > maxHeadBytes) return fault('too_large')
    return hostIn(Buffer.from(wire.buffer, wire.byteOffset, end).toString('latin1').split('\r\n'))
  }

  /** Where the empty line begins. Looks at each byte once, however they come. */
  #findEnd(wire: Uint8Array): number | undefined {
    for (; this.#scanned + 3 < wire.length; this.#scanned += 1) {
      const at = this.#scanned
      if (wire[at] !== carriageReturn || wire[at + 1] !== lineFeed) continue
      if (wire[at + 2] === carriageReturn && wire[at + 3] === lineFeed) return at
    }
    return undefined
  }
}

function hostIn([first = '', ...lines]: readonly string[]): HelloVerdict {
  const target = requestLine.exec(first)?.[1]
  if (target === undefined) return fault('not_tls')
  const headers = lines.map((line) => headerLine.exec(line))
  if (headers.includes(null)) return malformed
  const hosts = headers.filter((header) => header?.[1]?.toLowerCase() === 'host').map((header) => header?.[2] ?? '')
  if (hosts.length > 1) return malformed
  const [host] = hosts
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1]
  if (authority !== undefined && host !== undefined && authority.toLowerCase() !== host.toLowerCase()) return malformed
  return nameIn(authority ?? host ?? '')
}

function nameIn(authority: string): HelloVerdict {
  const host = authority.replace(/:\d*$/, '')
  if (host === '' || /^\[[0-9a-f:.]+\]$/i.test(host) || parseIpv4(host) !== undefined) return nameless
  const serverName = parseDnsName(host)
  return serverName === undefined ? malformed : { kind: 'named', serverName }
}

function fault(reason: HelloFault): HelloVerdict {
  return { kind: 'fault', fault: reason }
}
