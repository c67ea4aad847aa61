import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HelloVerdict } from './client-hello.ts'
import { HttpHeadReader } from './http-head.ts'

const named = (serverName: string): HelloVerdict => ({ kind: 'named', serverName })
const fault = (reason: 'malformed' | 'not_tls' | 'too_large'): HelloVerdict => ({ kind: 'fault', fault: reason })
const nameless: HelloVerdict = { kind: 'nameless' }

function read(text: string): HelloVerdict | undefined {
  return new HttpHeadReader().push(Buffer.from(text, 'latin1'))
}

const requests: readonly (readonly [string, string, HelloVerdict])[] = [
  ['a name', 'GET / HTTP/1.1\r\nHost: x.apps.example.com\r\n\r\n', named('x.apps.example.com')],
  ['a name with a port', 'GET / HTTP/1.1\r\nAccept: */*\r\nHOST:\tX.Example.com:80 \r\n\r\n', named('x.example.com')],
  ['a whole address', 'GET http://x.example.com/a HTTP/1.1\r\nHost: x.example.com\r\n\r\n', named('x.example.com')],
  ['no Host', 'GET / HTTP/1.0\r\n\r\n', nameless],
  ['an address', 'GET / HTTP/1.1\r\nHost: 192.0.2.1:80\r\n\r\n', nameless],
  ['an IPv6 address', 'GET / HTTP/1.1\r\nHost: [2001:db8::1]:80\r\n\r\n', nameless],
  ['two Hosts', 'GET / HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n\r\n', fault('malformed')],
  ['another address', 'GET http://a.example/ HTTP/1.1\r\nHost: b.example\r\n\r\n', fault('malformed')],
  ['a space before the colon', 'GET / HTTP/1.1\r\nHost : a.example\r\n\r\n', fault('malformed')],
  ['a folded line', 'GET / HTTP/1.1\r\nHost: a.example\r\n b.example\r\n\r\n', fault('malformed')],
  ['odd characters', 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n', fault('malformed')],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', fault('not_tls')],
  ['no HTTP', 'EHLO example.com\r\n\r\n', fault('not_tls')],
  ['a head without an end', `GET / HTTP/1.1\r\nX: ${'a'.repeat(17_000)}`, fault('too_large')],
  ['a head that is too long', `GET / HTTP/1.1\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`, fault('too_large')],
]

describe('HttpHeadReader', () => {
  it.each(requests)('judges %s', (_, text, want) => {
    expect(read(text)).toEqual(want)
  })

  it.each(requests.slice(0, 6))('asks for more after every part of %s, then judges alike', (_, text, want) => {
    const reader = new HttpHeadReader()
    const bytes = Buffer.from(text, 'latin1')
    for (const byte of bytes.subarray(0, -1)) expect(reader.push(Uint8Array.of(byte))).toBeUndefined()
    expect(reader.push(bytes.subarray(-1))).toEqual(want)
    expect(Buffer.from(reader.received)).toEqual(bytes)
  })

  it('judges any bytes or asks for more', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 8 }), (pieces) => {
        const reader = new HttpHeadReader()
        for (const piece of pieces) reader.push(piece)
      }),
      { numRuns: 500 },
    )
  })
})
