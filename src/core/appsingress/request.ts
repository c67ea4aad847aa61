import type { Infra } from '../../api/infra.ts'
import { serverAddressesOf } from '../../api/network.ts'
import { type Cidr, parseCidr } from '../net/cidr.ts'
import { parseIpv4 } from '../net/ipv4.ts'
import { type AddressRange, parseRange, withoutRanges } from '../net/range.ts'

type AppsIngressSpec = NonNullable<Infra['spec']['appsIngress']>

/** What is asked for: the applications of one hosted cluster, on one VLAN. */
export interface AppsRequest {
  /** Who asks, as it is noted on the Service: `Infra tenant/c1`. */
  readonly owner: string
  /** Whose Service may be taken over: the Infra's, by a cluster that is attached to it. */
  readonly predecessor?: string | undefined
  readonly spec: AppsIngressSpec
  /** `*.<domain>` are the applications; undefined where nobody knows it yet. */
  readonly domain: string | undefined
  readonly vlan: Vlan
}

/** Where addresses of load balancers may lie, and what is there already. */
export interface Vlan {
  readonly cidr: Cidr | undefined
  /** Networks outside it that the operator was told to allow. */
  readonly alsoAllowed: readonly Cidr[]
  /** What each taken address or range is, e.g. `the gateway`. */
  readonly taken: readonly { readonly what: string; readonly range: AddressRange }[]
}

/** The VLAN of an Infra with everything on it that no load balancer may have. */
export function vlanOf({ spec }: Pick<Infra, 'spec'>, alsoAllowed: readonly Cidr[]): Vlan {
  const { dhcp, dns, proxy } = spec.infraComponents
  const single = (what: string, text: string | undefined) => {
    const address = parseIpv4(text ?? '')
    return address === undefined ? [] : [{ what, range: { first: address, last: address } }]
  }
  const servers = (what: string, config: Parameters<typeof serverAddressesOf>[0] | undefined) =>
    serverAddressesOf(config ?? {}).flatMap((address) => single(what, address))
  const first = parseIpv4(dhcp?.rangeStart ?? '')
  const last = parseIpv4(dhcp?.rangeEnd ?? '')
  const kept = (dhcp?.exclusions ?? []).flatMap((text) => parseRange(text) ?? [])
  const lent = first !== undefined && last !== undefined && dhcp?.enabled ? withoutRanges({ first, last }, kept) : []
  return {
    cidr: parseCidr(spec.networkConfig.cidr),
    alsoAllowed,
    taken: [
      ...single('the gateway', spec.networkConfig.gateway),
      ...servers('the DHCP server', dhcp),
      ...servers('the DNS server', dns),
      ...servers('the proxy', proxy),
      ...lent.map((range) => ({ what: 'the range that DHCP gives to machines', range })),
    ],
  }
}
