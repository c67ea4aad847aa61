import { isMapping } from '../../api/shape.ts'
import { at, listOf, textOf } from '../discover/hostedcluster.ts'
import type { LabelSelector } from './selector.ts'

/**
 * What is looked at in a hosted cluster. Whoever runs that cluster can let it say anything, so each reader takes any
 * value; what has another form than it should is as if it were not there.
 */

type Labels = Readonly<Record<string, string>>

export interface Pool {
  readonly name: string
  readonly labels: Labels
  readonly addresses: readonly string[]
  /** Told since MetalLB 0.15. */
  readonly availableIPv4: number | undefined
}

export interface Advertisement {
  readonly name: string
  readonly pools: readonly string[]
  readonly selectors: readonly LabelSelector[]
}

/** MetalLB as it was found. */
export interface MetalLB {
  readonly pools: readonly Pool[]
  readonly l2Advertisements: readonly Advertisement[]
  readonly bgpAdvertisements: readonly Advertisement[]
  /** The class that each object of MetalLB's operator tells it to serve; other installations have no such object. */
  readonly instances: readonly { readonly loadBalancerClass: string | undefined }[]
}

export interface Router {
  readonly domain: string | undefined
  readonly expectsProxyHeader: boolean
}

/** What is known before the Service is written. */
export interface Groundwork {
  /** Undefined where its kinds are not installed. */
  readonly metallb: MetalLB | undefined
  readonly router: Router | undefined
}

export interface Service {
  readonly labels: Labels
  readonly annotations: Labels
  readonly finalizers: readonly string[]
  readonly loadBalancerClass: string | undefined
  /** What the load balancers wrote into its status. */
  readonly ips: readonly string[]
  readonly hostnames: readonly string[]
}

export interface Told {
  readonly reason: string
  readonly message: string
  /** In a form that sorts. */
  readonly time: string
}

/** What came of the Service. */
export interface Outcome {
  readonly service: Service
  readonly events: readonly Told[]
  readonly readyEndpoints: number
}

export function readPool(object: unknown): Pool {
  const available = at(object, 'status.availableIPv4')
  return {
    name: nameOf(object),
    labels: textsOf(at(object, 'metadata.labels')),
    addresses: textList(at(object, 'spec.addresses')),
    availableIPv4: typeof available === 'number' ? available : undefined,
  }
}

export function readAdvertisement(object: unknown): Advertisement {
  return {
    name: nameOf(object),
    pools: textList(at(object, 'spec.ipAddressPools')),
    selectors: listOf(at(object, 'spec.ipAddressPoolSelectors')).map(readSelector),
  }
}

export function readInstance(object: unknown): MetalLB['instances'][number] {
  return { loadBalancerClass: textOf(at(object, 'spec.loadBalancerClass')) }
}

export function readRouter(object: unknown): Router {
  const strategy = at(object, 'status.endpointPublishingStrategy') ?? at(object, 'spec.endpointPublishingStrategy')
  const variants = isMapping(strategy) ? Object.values(strategy) : []
  return {
    domain: textOf(at(object, 'status.domain'))?.toLowerCase(),
    expectsProxyHeader: variants.some((variant) => at(variant, 'protocol') === 'PROXY'),
  }
}

export function readService(object: unknown): Service {
  const ingress = listOf(at(object, 'status.loadBalancer.ingress'))
  return {
    labels: textsOf(at(object, 'metadata.labels')),
    annotations: textsOf(at(object, 'metadata.annotations')),
    finalizers: textList(at(object, 'metadata.finalizers')),
    loadBalancerClass: textOf(at(object, 'spec.loadBalancerClass')),
    ips: ingress.flatMap((entry) => textOf(at(entry, 'ip')) ?? []),
    hostnames: ingress.flatMap((entry) => textOf(at(entry, 'hostname')) ?? []),
  }
}

export function readEvent(object: unknown): Told {
  return {
    reason: textOf(at(object, 'reason')) ?? '',
    message: textOf(at(object, 'message')) ?? '',
    time: textOf(at(object, 'lastTimestamp')) ?? textOf(at(object, 'eventTime')) ?? '',
  }
}

/** How many pods behind a Service are ready, of its EndpointSlices. */
export function countReady(slices: readonly unknown[]): number {
  return slices
    .flatMap((slice) => listOf(at(slice, 'endpoints')))
    .filter((endpoint) => at(endpoint, 'conditions.ready') !== false && listOf(at(endpoint, 'addresses')).length > 0)
    .length
}

function readSelector(selector: unknown): LabelSelector {
  return {
    matchLabels: textsOf(at(selector, 'matchLabels')),
    matchExpressions: listOf(at(selector, 'matchExpressions')).map((expression) => ({
      key: textOf(at(expression, 'key')) ?? '',
      operator: textOf(at(expression, 'operator')) ?? '',
      values: textList(at(expression, 'values')),
    })),
  }
}

function nameOf(object: unknown): string {
  return textOf(at(object, 'metadata.name')) ?? ''
}

function textList(value: unknown): string[] {
  return listOf(value).flatMap((entry) => textOf(entry) ?? [])
}

function textsOf(value: unknown): Labels {
  if (!isMapping(value)) return {}
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
