import { describe, expect, it } from 'vitest'
import { parseIpv6 } from '../../../core/net/ipv6.ts'
import { cookieLength, ServerCookies } from './cookie.ts'
import { sipHash } from './siphash.ts'

const hex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'))

describe('SipHash-2-4', () => {
  const key = Uint8Array.from({ length: 16 }, (_, index) => index)

  // From the appendix of the paper, and the first and last of the vectors beside the reference implementation.
  it.each([
    [0, '310e0edd47db6f72'],
    [1, 'fd67dc93c539f874'],
    [15, 'e545be4961ca29a1'],
    [63, '724506eb4c328a95'],
  ])('of %i bytes', (length, expected) => {
    const out = new Uint8Array(8)
    sipHash(
      key,
      Uint8Array.from({ length }, (_, index) => index),
      length,
      out,
      0,
    )
    expect(Buffer.from(out).toString('hex')).toBe(expected)
  })
})

/** RFC 9018 appendix A. */
describe('the server cookies of RFC 9018', () => {
  it.each([
    [
      'A.1',
      'e5e973e5a6b2a43f48e7dc849e37bfcf',
      '2464c4abcf10c957',
      Uint8Array.of(198, 51, 100, 100),
      1559731985,
      '010000005cf79f111f8130c3eee29480',
    ],
    [
      'A.4',
      '445536bcd2513298075a5d379663c962',
      '22681ab97d52c298',
      parseIpv6('2001:db8:220:1:59de:d0f4:8769:82b8') ?? new Uint8Array(0),
      1559741961,
      '010000005cf7c609a6bb79d16625507a',
    ],
  ])('%s', (_appendix, secret, client, address, nowSeconds, expected) => {
    const out = new Uint8Array(cookieLength)
    const cookies = new ServerCookies(() => hex(secret))
    expect(cookies.answer(hex(client), 0, 8, address, nowSeconds, out)).toBe(false)
    expect(Buffer.from(out).toString('hex')).toBe(client + expected)
    expect(cookies.answer(out.slice(), 0, cookieLength, address, nowSeconds + 60, out)).toBe(true)
  })
})

describe('a cookie', () => {
  const address = Uint8Array.of(192, 0, 2, 1)
  const start = 1_800_000_000
  let secrets = 0
  const make = () => {
    const cookies = new ServerCookies(() => new Uint8Array(16).fill(++secrets))
    const cookie = new Uint8Array(cookieLength)
    cookies.answer(hex('0102030405060708'), 0, 8, address, start, cookie)
    const send = (sent: Uint8Array, from: Uint8Array, atSeconds: number) => {
      const out = new Uint8Array(cookieLength)
      const isOurs = cookies.answer(sent, 0, sent.length, from, atSeconds, out)
      return { isOurs, isSame: Buffer.compare(out, sent) === 0 }
    }
    return { cookie, send }
  }

  it('is given back for half an hour, then renewed, and not accepted after an hour', () => {
    const { cookie, send } = make()
    expect(send(cookie, address, start + 1799)).toEqual({ isOurs: true, isSame: true })
    expect(send(cookie, address, start + 1800)).toEqual({ isOurs: true, isSame: false })
    expect(send(cookie, address, start + 3601)).toEqual({ isOurs: false, isSame: false })
  })

  it('holds for one address, unchanged', () => {
    const { cookie, send } = make()
    expect(send(cookie, Uint8Array.of(192, 0, 2, 2), start).isOurs).toBe(false)
    for (let index = 0; index < cookieLength; index++) {
      if (index >= 9 && index < 12) continue
      const changed = cookie.slice()
      changed[index] = (changed[index] ?? 0) ^ 1
      expect(send(changed, address, start).isOurs).toBe(false)
    }
    expect(send(cookie, address, start - 301).isOurs).toBe(false)
  })

  it('outlives the change of the secret once', () => {
    const { send } = make()
    const fresh = make()
    expect(fresh.send(fresh.cookie, address, start + 3000).isOurs).toBe(true)
    expect(send(fresh.cookie, address, start + 60).isOurs).toBe(false)
    const day = new Uint8Array(cookieLength)
    const cookies = new ServerCookies(() => new Uint8Array(16).fill(++secrets))
    cookies.answer(hex('0102030405060708'), 0, 8, address, start, day)
    cookies.answer(hex('0102030405060708'), 0, 8, address, start + 86_000, day)
    expect(cookies.answer(day.slice(), 0, cookieLength, address, start + 86_500, day)).toBe(true)
  })
})
