import { z } from 'zod'
import { parseCidr } from '../core/net/cidr.ts'
import { parseDuration } from '../core/net/duration.ts'
import { parseIpv4 } from '../core/net/ipv4.ts'
import { parseIpv6 } from '../core/net/ipv6.ts'
import { parseMac } from '../core/net/mac.ts'
import { parseDnsName, parseHostnamePattern } from '../core/net/name.ts'
import { parseRange } from '../core/net/range.ts'
import { type Cel, ipv4Number, quoted, rangeEnds } from './cel.ts'

/**
 * The formats that fields of several kinds share. A field's error text completes the sentence "expected …". The API
 * server takes exactly the same texts: what it asks is `cel`, an expression about `self`; default: that `pattern`, a
 * regular expression (RE2), matches.
 */
type TextFormat = {
  readonly maxLength: number
  readonly expected: string
  /** Default: what matches the pattern. */
  readonly accepts?: (text: string) => boolean
} & ({ readonly pattern: string; readonly cel?: Cel } | { readonly pattern?: undefined; readonly cel: Cel })

export function text(format: TextFormat) {
  const { maxLength, expected: error, accepts, pattern } = format
  const expression = pattern === undefined ? undefined : new RegExp(pattern, 'u')
  const isRight = (value: string) => expression?.test(value) !== false && accepts?.(value) !== false
  const schema = z.string({ error }).max(maxLength, { error, abort: true }).refine(isRight, { error })
  const rule = format.pattern === undefined ? format.cel : (format.cel ?? matches(format.pattern))
  const validations = [{ rule, message: `must be ${error}` }]
  return schema.meta({ ...(pattern === undefined ? {} : { pattern }), 'x-kubernetes-validations': validations })
}

function matches(pattern: string): Cel {
  return `self.matches(${quoted(pattern)})`
}

const octet = '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])'
const address = `${octet}(\\.${octet}){3}`
const prefixLength = '(3[0-2]|[12]?[0-9])'
const range = ` *${address}( *- *${address})? *`
const hostLabel = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
/** As Kubernetes has it: only the whole name is limited. */
const objectLabel = '[a-z0-9]([a-z0-9-]*[a-z0-9])?'
const dnsLabel = '[a-zA-Z0-9_]([a-zA-Z0-9_-]{0,61}[a-zA-Z0-9_])?'
const dnsNamePattern = `${dnsLabel}(\\.${dnsLabel})*\\.?`
const serverLabel = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?'
const portPattern = '([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])'

const isIpv4 = (value: string) => parseIpv4(value) !== undefined
const isIpv6 = (value: string) => !isMappedIpv4(parseIpv6(value) ?? mappedPrefix)

/** `::ffff:1.2.3.4` is the IPv4 address again, in a spelling that filters overlook: refused, as Kubernetes does. */
const mappedPrefix = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255)
const isMappedIpv4 = (bytes: Uint8Array) => mappedPrefix.every((byte, index) => bytes[index] === byte)
const isIp = (value: string) => isIpv4(value) || isIpv6(value)

export const ipv4 = text({
  maxLength: 15,
  expected: 'an IPv4 address such as 192.168.100.2',
  accepts: isIpv4,
  pattern: `^${address}$`,
  cel: 'isIP(self) && ip(self).family() == 4',
})

export const ip = text({
  maxLength: 45,
  expected: 'an IPv4 or IPv6 address such as 192.168.100.2',
  accepts: isIp,
  cel: 'isIP(self)',
})

/** The original's manifests may give a server's address a prefix length; the network's own length is the one that counts. */
export const serverAddress = text({
  maxLength: 18,
  expected: 'an IPv4 address such as 192.168.100.2',
  pattern: `^${address}(/${prefixLength})?$`,
  cel: 'isIP(self) ? ip(self).family() == 4 : isCIDR(self) && cidr(self).ip().family() == 4',
})

export const cidr = text({
  maxLength: 18,
  expected: 'an IPv4 network such as 192.168.100.0/24, all bits after the prefix zero',
  accepts: (value) => parseCidr(value) !== undefined,
  cel: 'isCIDR(self) && cidr(self).ip().family() == 4 && self == string(cidr(self).masked())',
})

export const addressRange = text({
  maxLength: 48,
  expected: 'an IPv4 address, or a range such as 192.168.100.160-192.168.100.170 with the lower one first',
  accepts: (value) => parseRange(value) !== undefined,
  pattern: `^${range}$`,
  cel: `${matches(`^${range}$`)} && ${rangeEnds('self').map(ipv4Number).join(' <= ')}`,
})

/**
 * What MetalLB calls the addresses of a pool: ranges or networks, several with commas between them. Only their form is
 * checked here: the API server cannot afford to look into each part, and they are compared with the real pool anyway.
 */
export const addressPool = text({
  maxLength: 1024,
  expected: 'ranges such as 192.168.100.240-192.168.100.250 or networks, separated by commas',
  pattern: `^(${range}| *${address}/${prefixLength} *)(,(${range}| *${address}/${prefixLength} *))*$`,
})

export const mac = text({
  maxLength: 17,
  expected: 'a MAC address such as 02:00:00:00:00:01',
  accepts: (value) => parseMac(value) !== undefined,
  pattern: '^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$|^([0-9a-fA-F]{2}-){5}[0-9a-fA-F]{2}$',
})

export const dnsName = text({
  maxLength: 253,
  expected: 'a DNS name such as c1.example.com',
  accepts: (value) => parseDnsName(value) !== undefined,
  pattern: `^${dnsNamePattern}$`,
})

export const hostnamePattern = text({
  maxLength: 253,
  expected: 'a DNS name such as api.c1.example.com, or one with a leading star such as *.apps.c1.example.com',
  accepts: (value) => parseHostnamePattern(value) !== undefined,
  pattern: `^([*]\\.)?${dnsNamePattern}$`,
})

/** As the proxy compares it with what clients send: one spelling, so that two that are equal look equal. */
export const serverName = text({
  maxLength: 253,
  expected: 'a name in lower case such as api.c1.example.com, or one with a leading star such as *.apps.c1.example.com',
  pattern: `^([*]\\.)?${serverLabel}(\\.${serverLabel})*$`,
})

/** One label: what Kubernetes names Services and namespaces, and what a machine may be called. */
export function labelOfAtMost(maxLength: number) {
  return text({
    maxLength,
    expected: `lower-case letters, digits and hyphens, no dots, at most ${maxLength} characters`,
    pattern: `^${hostLabel}$`,
  })
}

export const label = labelOfAtMost(63)

/** Names of objects whose kind allows dots: NetworkAttachmentDefinitions, pools, storage classes. */
export function objectNameOfAtMost(maxLength: number) {
  return text({
    maxLength,
    expected: `the name of a Kubernetes object: lower-case letters, digits, hyphens and dots, at most ${maxLength} characters`,
    pattern: `^${objectLabel}(\\.${objectLabel})*$`,
  })
}

export const objectName = objectNameOfAtMost(253)

export const addressOrName = text({
  maxLength: 253,
  expected: 'an address such as 192.168.100.240 or a DNS name',
  accepts: (value) => isIp(value) || (isDnsName(value) && !looksLikeAnAddress(value)),
  cel: `isIP(self) || ${matches(`^${dnsNamePattern}$`)} && !self.matches('^[0-9.]+$')`,
})

/** `192.168.100.400` is a mistyped address, not the name of a machine. */
function looksLikeAnAddress(value: string): boolean {
  return /^[\d.]+$/.test(value)
}

function isDnsName(value: string): boolean {
  return dnsName.safeParse(value).success
}

export const upstream = text({
  maxLength: 320,
  expected:
    'the address of a DNS server, with a port if it is not 53 (10.0.0.53:5353), resolv.conf, or tls://address#name',
  accepts: isUpstream,
  cel: [
    "self == 'resolv.conf' || isIP(self)",
    matches(`^${address}:${portPattern}$`),
    `self.startsWith('[') && self.contains(']:') && isIP(self.substring(1, self.indexOf(']:'))) && ip(self.substring(1, self.indexOf(']:'))).family() == 6 && self.matches(${quoted(`\\]:${portPattern}$`)})`,
    `self.startsWith('tls://') && self.contains('#') && isIP(self.substring(6, self.indexOf('#'))) && self.size() - self.indexOf('#') <= 254 && self.substring(self.indexOf('#') + 1).matches(${quoted(`^${dnsNamePattern}$`)})`,
  ].join(' || '),
})

function isUpstream(value: string): boolean {
  if (value === 'resolv.conf' || isIp(value)) return true
  const tls = /^tls:\/\/([^#]+)#(.+)$/.exec(value)
  if (tls) return isIp(tls[1] ?? '') && isDnsName(tls[2] ?? '')
  const withPort = /^(?:\[([0-9a-fA-F:.]+)\]|([\d.]+)):([1-9]\d{0,4})$/.exec(value)
  if (!withPort || Number(withPort[3]) > 65_535) return false
  return withPort[1] === undefined ? isIpv4(withPort[2] ?? '') : isIpv6(withPort[1])
}

interface DurationBounds {
  readonly min: string
  readonly max: string
}

const durationPattern = '^([0-9]+([.][0-9]*)?(ns|us|µs|ms|s|m|h)|[.][0-9]+(ns|us|µs|ms|s|m|h))+$|^0$'

/** A Go duration within bounds that are themselves written as durations. */
export function duration({ min, max }: DurationBounds) {
  const [minMs = 0, maxMs = 0] = [parseDuration(min), parseDuration(max)]
  return text({
    maxLength: 64,
    expected: `a duration from ${min} to ${max}, such as 30s, 90m or 1h30m`,
    accepts: (value) => {
      const milliseconds = parseDuration(value)
      return milliseconds !== undefined && milliseconds >= minMs && milliseconds <= maxMs
    },
    pattern: durationPattern,
    cel: `${matches(durationPattern)} && duration(self) >= duration(${quoted(min)}) && duration(self) <= duration(${quoted(max)})`,
  })
}

/** DHCP counts seconds in 32 bits and takes the highest value for "for ever"; ten years are far below it. */
export const leaseTime = duration({ min: '1s', max: '87600h' })

export const quantity = text({
  maxLength: 32,
  expected: 'an amount of storage such as 25Mi',
  pattern: '^[1-9][0-9]*(Ki|Mi|Gi|Ti|k|M|G|T)?$',
})

export function wholeNumber(min: number, max: number) {
  const error = `a whole number from ${min} to ${max}`
  return z.int({ error }).min(min, { error }).max(max, { error })
}

export const port = wholeNumber(1, 65_535)
export const count = wholeNumber(0, 2_147_483_647)
export const generation = z.int().min(0)

export const image = z.string().min(1).max(512)
export const sentence = z.string().max(32_768)
export const timestamp = text({
  maxLength: 64,
  expected: 'a time such as 2026-01-31T12:00:00Z',
  pattern:
    '^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?(Z|[+-][0-2][0-9]:[0-5][0-9])$',
}).meta({ format: 'date-time' })

const maxNames = 64
const maxNameLength = 317

/** Labels or annotations for an object that oooi makes. */
export const stringMap = z
  .record(z.string().max(maxNameLength), z.string().max(4096))
  .refine((map) => Object.keys(map).length <= maxNames, { error: `at most ${maxNames} names` })
  .meta({
    maxProperties: maxNames,
    'x-kubernetes-validations': [
      {
        rule: `self.all(name, name.size() <= ${maxNameLength})`,
        message: `must have names of at most ${maxNameLength} characters`,
      },
    ],
  })

/** A list whose entries are told apart by one of their fields: no two have the same, and who applies one leaves the others. */
export function listMapBy(key: string) {
  return { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key] }
}

/** A list in which nothing is twice. */
export const listSet = { 'x-kubernetes-list-type': 'set' }
