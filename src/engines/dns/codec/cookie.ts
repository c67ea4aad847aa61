import { bytesEqual, copyBytes, readUint32, writeUint32 } from './bytes.ts'
import { sipHash } from './siphash.ts'

export const clientCookieLength = 8
/** What a reply carries: the client's cookie, then ours. */
export const cookieLength = 24

const version = 1
const maxAgeSeconds = 3600
const maxAheadSeconds = 300
const renewAfterSeconds = 1800
/** RFC 7873 section 7.1 wants a new secret at least once in 36 days, and better every day. */
const secretLifetimeSeconds = 86_400

/**
 * Cookies by which a client proves that it has received something from us at its address before (RFC 7873), in the
 * form that all servers can agree on (RFC 9018). The secret stays in this process; the one before it is still accepted.
 */
export class ServerCookies {
  readonly #newSecret: () => Uint8Array
  #secret: Uint8Array
  #previousSecret: Uint8Array | undefined
  #secretSince: number | undefined
  /** Client cookie, version, timestamp, address: what is hashed. */
  readonly #message = new Uint8Array(32)
  readonly #hash = new Uint8Array(8)

  constructor(newSecret: () => Uint8Array) {
    this.#newSecret = newSecret
    this.#secret = newSecret()
  }

  /**
   * Writes the cookie of the reply to `out`. True: the one received, `length` bytes at `at`, is ours and holds for this
   * address (4 or 16 bytes).
   */
  answer(
    packet: Uint8Array,
    at: number,
    length: number,
    address: Uint8Array,
    nowSeconds: number,
    out: Uint8Array,
  ): boolean {
    this.#renewSecret(nowSeconds)
    const isOurs = length === cookieLength && this.#verify(packet, at, address, nowSeconds)
    const age = isOurs ? nowSeconds - readUint32(packet, at + 12) : maxAgeSeconds
    copyBytes(packet, at, at + clientCookieLength, out, 0)
    if (isOurs && age < renewAfterSeconds) copyBytes(packet, at + clientCookieLength, at + cookieLength, out, 8)
    else this.#write(nowSeconds, address, out)
    return isOurs
  }

  #verify(packet: Uint8Array, at: number, address: Uint8Array, nowSeconds: number): boolean {
    if (packet[at + 8] !== version) return false
    const age = nowSeconds - readUint32(packet, at + 12)
    if (age > maxAgeSeconds || age < -maxAheadSeconds) return false
    return (
      this.#matches(this.#secret, packet, at, address) ||
      (this.#previousSecret !== undefined && this.#matches(this.#previousSecret, packet, at, address))
    )
  }

  #matches(secret: Uint8Array, packet: Uint8Array, at: number, address: Uint8Array): boolean {
    copyBytes(packet, at, at + 16, this.#message, 0)
    this.#message.set(address, 16)
    sipHash(secret, this.#message, 16 + address.length, this.#hash, 0)
    return bytesEqual(packet, at + 16, this.#hash, 0, 8)
  }

  #write(nowSeconds: number, address: Uint8Array, out: Uint8Array): void {
    writeUint32(out, 8, version << 24)
    writeUint32(out, 12, nowSeconds)
    copyBytes(out, 0, 16, this.#message, 0)
    this.#message.set(address, 16)
    sipHash(this.#secret, this.#message, 16 + address.length, out, 16)
  }

  #renewSecret(nowSeconds: number): void {
    this.#secretSince ??= nowSeconds
    if (nowSeconds - this.#secretSince < secretLifetimeSeconds) return
    this.#previousSecret = this.#secret
    this.#secret = this.#newSecret()
    this.#secretSince = nowSeconds
  }
}
