import { parseCidr } from '../../../core/net/cidr.ts'
import { parseIpv4 } from '../../../core/net/ipv4.ts'
import { parseDnsName } from '../../../core/net/name.ts'
import { encodeAddresses, encodeDomains, encodeNumbers, encodeRoutes, type Route } from './encode.ts'

/** How a person writes the value of an option. */
interface Form {
  /** Completes "expected …". */
  readonly expected: string
  readonly parse: (text: string) => Buffer | undefined
}

const addresses: Form = {
  expected: 'IPv4 addresses separated by commas',
  parse: (text) => encoded(encodeAddresses, items(text).map(parseIpv4)),
}

const oneAddress: Form = {
  expected: 'one IPv4 address',
  parse: (text) => encoded(encodeAddresses, [parseIpv4(text.trim())]),
}

const addressPairs: Form = {
  expected: 'pairs of IPv4 addresses, all separated by commas',
  parse: (text) => (items(text).length % 2 === 0 ? addresses.parse(text) : undefined),
}

const plainText: Form = {
  expected: 'text',
  parse: (text) => (text === '' ? undefined : Buffer.from(text)),
}

const domains: Form = {
  expected: 'DNS names separated by commas',
  parse: (text) => encoded(encodeDomains, items(text).map(parseDnsName)),
}

const routes: Form = {
  expected: 'pairs of network and router separated by commas, such as 10.0.0.0/8,192.168.100.1',
  parse: (text) => {
    const parts = items(text)
    const pairs = Array.from({ length: Math.ceil(parts.length / 2) }, (_, index) =>
      routeOf(parts[2 * index] ?? '', parts[2 * index + 1] ?? ''),
    )
    return encoded(encodeRoutes, pairs)
  },
}

const flag: Form = {
  expected: 'true or false',
  parse: (text) => {
    const index = ['false', 'true', '0', '1'].indexOf(text.trim().toLowerCase())
    return index < 0 ? undefined : Buffer.of(index % 2)
  },
}

const unlisted: Form = {
  expected: 'IPv4 addresses separated by commas, text, or bytes such as 0x01a2',
  parse: (text) => addresses.parse(text) ?? plainText.parse(text),
}

function numbers(bytesEach: 1 | 2 | 4, most = 1, lowest = 0): Form {
  const highest = 2 ** (lowest < 0 ? 8 * bytesEach - 1 : 8 * bytesEach) - 1
  return {
    expected: `${most === 1 ? 'a whole number' : 'whole numbers separated by commas, each'} from ${lowest} to ${highest}`,
    parse: (text) => {
      const parts = items(text)
      const values = parts.map((part) => wholeNumber(part, lowest, highest))
      return parts.length > most ? undefined : encoded((all) => encodeNumbers(all, bytesEach), values)
    },
  }
}

/** Which codes have which form (RFC 2132 and the registry of IANA). What is not listed is taken as it looks. */
const codesByForm: readonly (readonly [Form, readonly number[]])[] = [
  [addresses, [3, 4, 5, 6, 7, 8, 9, 10, 11, 41, 42, 44, 45, 48, 49, 65, 68, 69, 70, 71, 72, 73, 74, 75, 76, 85, 89]],
  [addresses, [92, 136, 138, 150]],
  [oneAddress, [1, 16, 28, 32]],
  [addressPairs, [21, 33]],
  [plainText, [12, 14, 15, 17, 18, 40, 47, 60, 62, 64, 66, 67, 86, 87, 100, 101, 114, 209, 210, 252]],
  [flag, [19, 20, 27, 29, 30, 31, 34, 36, 39]],
  [numbers(1), [23, 37, 46, 116]],
  [numbers(2), [13, 22, 26]],
  [numbers(2, 127), [25, 117]],
  [numbers(4), [24, 35, 38, 108, 211]],
  [numbers(4, 1, -(2 ** 31)), [2]],
  [domains, [88, 119]],
  [routes, [121, 249]],
]
const formByCode = new Map(codesByForm.flatMap(([form, codes]) => codes.map((code) => [code, form] as const)))

/** What the server says by itself in every exchange; given by hand it would contradict itself. */
const ownCodes = new Set([50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 61, 80, 81, 82, 90, 118])

export type ParsedOption =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly expected: string }

/** The bytes of an option given by number. Bytes in hexadecimal, `0x01a2`, do for every code. */
export function parseOption(code: number, text: string): ParsedOption {
  if (ownCodes.has(code)) return { ok: false, expected: 'no option that the server itself decides on: leave it out' }
  const { expected, parse } = formByCode.get(code) ?? unlisted
  const bytes = hexBytes(text) ?? parse(text)
  return bytes === undefined ? { ok: false, expected } : { ok: true, bytes }
}

function items(text: string): string[] {
  return text.split(',').map((item) => item.trim())
}

function encoded<Value>(
  encode: (values: readonly Value[]) => Buffer,
  values: readonly (Value | undefined)[],
): Buffer | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length === values.length ? encode(known) : undefined
}

function routeOf(to: string, via: string): Route | undefined {
  const [network, router] = [parseCidr(to), parseIpv4(via)]
  return network === undefined || router === undefined ? undefined : { to: network, via: router }
}

function wholeNumber(text: string, lowest: number, highest: number): number | undefined {
  const value = /^-?\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  return value >= lowest && value <= highest ? value : undefined
}

function hexBytes(text: string): Buffer | undefined {
  const digits = /^0x((?:[0-9a-f]{2}:?)*[0-9a-f]{2})$/i.exec(text.trim())?.[1]
  return digits === undefined ? undefined : Buffer.from(digits.replaceAll(':', ''), 'hex')
}
