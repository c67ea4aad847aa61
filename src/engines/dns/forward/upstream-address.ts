import { parseIpv4 } from '../../../core/net/ipv4.ts'
import { parseIpv6 } from '../../../core/net/ipv6.ts'
import { parseDnsName } from '../../../core/net/name.ts'

/** Where an upstream listens. */
export interface UpstreamAddress {
  readonly address: string
  readonly port: number
  readonly family: 4 | 6
  /** It is asked over TLS, and its certificate must be for this name. */
  readonly tlsName?: string
}

/** Port 53, or 853 for DNS over TLS (RFC 7858). */
const [plainPort, tlsPort] = [53, 853]

/** As below, or `tls://10.0.0.53#dns.example.com`. */
export function parseUpstream(text: string): UpstreamAddress | undefined {
  const tls = /^tls:\/\/([^#]+)#(.+)$/.exec(text)
  if (tls === null) return parseUpstreamAddress(text)
  const place = parseUpstreamAddress(tls[1] ?? '', tlsPort)
  const tlsName = parseDnsName(tls[2] ?? '')
  return place === undefined || tlsName === undefined ? undefined : { ...place, tlsName }
}

/** `10.0.0.53`, `10.0.0.53:5353`, `fd00::53` or `[fd00::53]:5353`. An IPv6 address may carry a zone (`fe80::1%eth0`). */
export function parseUpstreamAddress(text: string, usualPort = plainPort): UpstreamAddress | undefined {
  const bracketed = /^\[(.+)\](?::(\d{1,5}))?$/.exec(text)
  const plain = /^([^:]+)(?::(\d{1,5}))?$/.exec(text)
  const address = bracketed?.[1] ?? plain?.[1] ?? text
  const port = Number(bracketed?.[2] ?? plain?.[2] ?? usualPort)
  if (port < 1 || port > 65_535) return undefined
  if (parseIpv4(address) !== undefined) return bracketed ? undefined : { address, port, family: 4 }
  const [withoutZone = ''] = address.split('%')
  return parseIpv6(withoutZone) === undefined ? undefined : { address, port, family: 6 }
}

export function formatUpstream({ address, port, family, tlsName }: UpstreamAddress): string {
  const place = family === 4 ? `${address}:${port}` : `[${address}]:${port}`
  return tlsName === undefined ? place : `tls://${place}#${tlsName}`
}

/** The resolvers of a host, from the text of its resolv.conf, in its order. */
export function resolversIn(resolvConf: string): UpstreamAddress[] {
  return resolvConf
    .split('\n')
    .map((line) => /^\s*nameserver\s+(\S+)/.exec(line)?.[1])
    .flatMap((address) => (address === undefined ? [] : [parseUpstreamAddress(address)]))
    .filter((upstream) => upstream !== undefined)
}
