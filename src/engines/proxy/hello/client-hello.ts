import { GrowingBytes } from './growing-bytes.ts'
import { requestedNameOf } from './server-name.ts'

/** Why the first bytes of a connection are not a ClientHello that can be routed. */
export type HelloFault = 'not_tls' | 'malformed' | 'too_large'

export type HelloVerdict =
  | { readonly kind: 'named'; readonly serverName: string }
  | { readonly kind: 'nameless' }
  | { readonly kind: 'fault'; readonly fault: HelloFault }

const handshakeRecord = 22
const clientHelloMessage = 1
const recordHeaderBytes = 5
const messageHeaderBytes = 4
const maxRecordBytes = 16_384

/** A ClientHello may be this long, its header included. The largest seen in the field have a tenth of it. */
export const maxMessageBytes = 16_384
/** On the wire there may be record headers besides: room for 800 of them, so that tiny records cannot fill memory. */
export const maxWireBytes = maxMessageBytes + 4096

/**
 * Finds the requested name in the first bytes of a connection, as they come. The verdict is a function of the bytes
 * alone: however TCP segments or TLS records (RFC 8446 section 5.1) cut them, it is the same and falls at the same byte.
 * Until it falls `push` gives undefined; "not there yet" never turns into "no name".
 */
export class ClientHelloReader {
  readonly #wire = new GrowingBytes()
  readonly #message = new GrowingBytes()
  #wireOffset = 0
  #recordRemaining = 0
  #verdict: HelloVerdict | undefined

  /** Everything pushed so far, also what came after the hello: a relay has to send on exactly this. */
  get received(): Uint8Array {
    return this.#wire.view()
  }

  push(bytes: Uint8Array): HelloVerdict | undefined {
    this.#wire.append(bytes)
    this.#verdict ??= this.#readRecords(this.#wire.view())
    return this.#verdict
  }

  #readRecords(wire: Uint8Array): HelloVerdict | undefined {
    while (this.#wireOffset < wire.length) {
      const fault = this.#recordRemaining === 0 ? this.#readRecordHeader(wire) : undefined
      if (fault) return { kind: 'fault', fault }
      if (this.#recordRemaining === 0) return undefined
      const payload = wire.subarray(this.#wireOffset, this.#wireOffset + this.#recordRemaining)
      this.#wireOffset += payload.length
      this.#recordRemaining -= payload.length
      if (payload.length > 0) this.#message.append(payload)
      const verdict = this.#readMessage(this.#message.view())
      if (verdict) return verdict
    }
    return undefined
  }

  /** Judges a header byte by byte, so that plain text is known by its first byte and a bad length does not wait for more. */
  #readRecordHeader(wire: Uint8Array): HelloFault | undefined {
    if (this.#wireOffset >= maxWireBytes) return 'too_large'
    const at = this.#wireOffset
    const type = wire[at]
    const majorVersion = wire[at + 1]
    const lengthHigh = wire[at + 3]
    const lengthLow = wire[at + 4]
    const foreign = this.#wireOffset === 0 ? 'not_tls' : 'malformed'
    if (type !== handshakeRecord) return foreign
    if (majorVersion !== undefined && majorVersion !== 3) return foreign
    if (lengthHigh === undefined || lengthLow === undefined) return undefined
    const length = lengthHigh * 256 + lengthLow
    if (length === 0 || length > maxRecordBytes) return 'malformed'
    this.#wireOffset += recordHeaderBytes
    this.#recordRemaining = length
    return undefined
  }

  #readMessage(message: Uint8Array): HelloVerdict | undefined {
    const type = message[0]
    const lengthHigh = message[1]
    const lengthMiddle = message[2]
    const lengthLow = message[3]
    if (type !== undefined && type !== clientHelloMessage) return { kind: 'fault', fault: 'malformed' }
    if (lengthHigh === undefined || lengthMiddle === undefined || lengthLow === undefined) return undefined
    const end = messageHeaderBytes + lengthHigh * 65_536 + lengthMiddle * 256 + lengthLow
    if (end > maxMessageBytes) return { kind: 'fault', fault: 'too_large' }
    if (message.length < end) return undefined
    const name = requestedNameOf(message.subarray(messageHeaderBytes, end))
    return name.kind === 'malformed' ? { kind: 'fault', fault: 'malformed' } : name
  }
}
