import { createSign, generateKeyPairSync } from 'node:crypto'

/** Key and certificate, as PEM. */
export interface ServingCertificate {
  readonly key: string
  readonly cert: string
}

const validYears = 10

/**
 * A certificate that nobody vouches for: it keeps what is scraped private on the way, no more. X.509 version 3 (RFC 5280)
 * with an ECDSA key, written out here because Node can read certificates but not make them.
 */
export function selfSigned(name: string, nowMs: number): ServingCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const start = new Date(nowMs)
  const end = new Date(nowMs)
  end.setUTCFullYear(end.getUTCFullYear() + validYears)
  const who = sequence(set(sequence(oid(commonName), der(tag.utf8, Buffer.from(name)))))
  const names = sequence(der(tag.dnsName, Buffer.from(name)))
  const extension = sequence(oid(subjectAltName), der(tag.octets, names))
  const toBeSigned = sequence(
    der(tag.version, der(tag.integer, Buffer.from([2]))),
    der(tag.integer, serialFrom(nowMs)),
    sequence(oid(ecdsaWithSha256)),
    who,
    sequence(time(start), time(end)),
    who,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(tag.extensions, sequence(extension)),
  )
  const signature = createSign('sha256').update(toBeSigned).sign(privateKey)
  const bits = der(tag.bits, Buffer.concat([Buffer.from([0]), signature]))
  const certificate = sequence(toBeSigned, sequence(oid(ecdsaWithSha256)), bits)
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert: pem(certificate) }
}

const tag = {
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
  dnsName: 0x82,
  version: 0xa0,
  extensions: 0xa3,
} as const

const commonName = [0x55, 0x04, 0x03]
const subjectAltName = [0x55, 0x1d, 0x11]
const ecdsaWithSha256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]

function der(type: number, content: Uint8Array): Buffer {
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([type, ...size]), content])
}

const sequence = (...parts: readonly Uint8Array[]): Buffer => der(tag.sequence, Buffer.concat(parts))
const set = (part: Uint8Array): Buffer => der(tag.set, part)
const oid = (bytes: readonly number[]): Buffer => der(tag.oid, Buffer.from(bytes))

/** GeneralizedTime in whole seconds. */
function time(date: Date): Buffer {
  return der(tag.time, Buffer.from(`${date.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`))
}

/** Another one at each start. Milliseconds of this century fill six bytes exactly, as an INTEGER has to be encoded. */
function serialFrom(nowMs: number): Buffer {
  const bytes = Buffer.alloc(6)
  bytes.writeUIntBE(nowMs, 0, 6)
  return bytes
}

function pem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
