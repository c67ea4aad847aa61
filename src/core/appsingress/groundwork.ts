import { cidrContains, formatCidr } from '../net/cidr.ts'
import { formatRange, rangesOverlap } from '../net/range.ts'
import type { Problem } from '../result.ts'
import type { Advertisement, Groundwork, MetalLB, Pool } from './hosted.ts'
import { rangesOf } from './pool.ts'
import type { AppsRequest } from './request.ts'
import { selects } from './selector.ts'

/** One thing that has to be so before the Service is written; what is wrong with it, or nothing. */
type Check = (request: AppsRequest, found: Groundwork) => Problem | undefined

/** Read top to bottom: whoever puts one right is told the next. */
const checks: readonly Check[] = [
  poolRangeFitsVlan,
  routerTakesPlainConnections,
  metallbIsInstalled,
  poolExists,
  poolIsAdvertised,
  classIsServed,
]

export function groundworkProblem(request: AppsRequest, found: Groundwork): Problem | undefined {
  for (const check of checks) {
    const problem = check(request, found)
    if (problem) return problem
  }
  return undefined
}

/** The class for the Service: what the user says, else what MetalLB was told to serve. */
export function loadBalancerClassOf({ spec }: AppsRequest, { metallb }: Groundwork): string | undefined {
  return spec.service?.loadBalancerClass ?? servedClass(metallb)
}

export function poolsNamed({ spec }: AppsRequest, { metallb }: Groundwork): readonly Pool[] {
  return (metallb?.pools ?? []).filter(({ name }) => name === spec.metallb?.addressPoolName)
}

function poolRangeFitsVlan({ spec, vlan }: AppsRequest): Problem | undefined {
  const text = spec.metallb?.ipAddressPoolRange
  if (text === undefined) return undefined
  const field = 'spec.appsIngress.metallb.ipAddressPoolRange'
  const allowed = [...(vlan.cidr ? [vlan.cidr] : []), ...vlan.alsoAllowed]
  for (const range of rangesOf(text.split(','))) {
    const isInside = allowed.some((cidr) => cidrContains(cidr, range.first) && cidrContains(cidr, range.last))
    if (!isInside) {
      const message = `${formatRange(range)} is not inside the VLAN (${allowed.map(formatCidr).join(', ')}): machines could not reach an address of it`
      return { reason: 'AddressRefused', field, message }
    }
    const clash = vlan.taken.find((taken) => rangesOverlap(taken.range, range))
    if (clash) {
      const message = `${formatRange(range)} overlaps ${clash.what} (${formatRange(clash.range)}): choose addresses that nobody else has`
      return { reason: 'AddressTaken', field, message }
    }
  }
  return undefined
}

/** The router would take the first bytes of every connection for a PROXY header, which MetalLB does not send. */
function routerTakesPlainConnections(_: AppsRequest, { router }: Groundwork): Problem | undefined {
  if (!router?.expectsProxyHeader) return undefined
  const message =
    'the default IngressController expects the PROXY protocol (endpointPublishingStrategy), which MetalLB does not speak: set its protocol to TCP'
  return { reason: 'ProxyProtocolExpected', message }
}

function metallbIsInstalled(_: AppsRequest, { metallb }: Groundwork): Problem | undefined {
  if (metallb) return undefined
  return {
    reason: 'MetalLBNotInstalled',
    message: 'the hosted cluster does not know metallb.io/v1beta1 IPAddressPool: install MetalLB there',
  }
}

function poolExists(request: AppsRequest, found: Groundwork): Problem | undefined {
  if (poolsNamed(request, found).length > 0) return undefined
  const names = (found.metallb?.pools ?? []).map(({ name }) => name).join(', ')
  const name = request.spec.metallb?.addressPoolName ?? ''
  return {
    reason: 'AddressPoolNotFound',
    field: 'spec.appsIngress.metallb.addressPoolName',
    message: `the hosted cluster has no IPAddressPool ${name}; there ${names ? `are: ${names}` : 'is none'}`,
  }
}

function poolIsAdvertised(request: AppsRequest, found: Groundwork): Problem | undefined {
  const { l2Advertisements = [], bgpAdvertisements = [] } = found.metallb ?? {}
  const { addressPoolName = '', l2AdvertisementName } = request.spec.metallb ?? {}
  const pools = poolsNamed(request, found)
  const asked =
    l2AdvertisementName === undefined
      ? [...l2Advertisements, ...bgpAdvertisements]
      : l2Advertisements.filter(({ name }) => name === l2AdvertisementName)
  if (asked.some((advertisement) => pools.some((pool) => covers(advertisement, pool)))) return undefined
  const which = l2AdvertisementName === undefined ? 'no L2Advertisement' : `no L2Advertisement ${l2AdvertisementName}`
  const message = `${which} of the hosted cluster covers the IPAddressPool ${addressPoolName}: an address of it would be given, but nobody would answer for it`
  return { reason: 'NotAdvertised', message }
}

/** One that selects no pool at all is for every pool. */
function covers({ pools, selectors }: Advertisement, { name, labels }: Pool): boolean {
  if (pools.length === 0 && selectors.length === 0) return true
  return pools.includes(name) || selectors.some((selector) => selects(selector, labels))
}

/** Known only where MetalLB's operator runs it; else what the user says is believed. */
function classIsServed({ spec }: AppsRequest, { metallb }: Groundwork): Problem | undefined {
  const wanted = spec.service?.loadBalancerClass
  if (wanted === undefined || !metallb || metallb.instances.length === 0) return undefined
  const served = servedClass(metallb)
  if (served === wanted) return undefined
  const message = `the Service shall have loadBalancerClass ${wanted}, but MetalLB there serves ${served === undefined ? 'only Services without a class' : served}: set the same class in the MetalLB object`
  return { reason: 'LoadBalancerClassMismatch', field: 'spec.appsIngress.service.loadBalancerClass', message }
}

function servedClass(metallb: MetalLB | undefined): string | undefined {
  return metallb?.instances.map((instance) => instance.loadBalancerClass).find((served) => served !== undefined)
}
