import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Reason } from '../../api/reasons.ts'
import { formatIpv4 } from '../net/ipv4.ts'
import {
  countReady,
  type Groundwork,
  type Outcome,
  readAdvertisement,
  readEvent,
  readPool,
  readRouter,
  readService,
} from './hosted.ts'
import { judgeOutcome } from './outcome.ts'
import { isInRanges, rangesOf } from './pool.ts'
import { goodGroundwork, outcome, pool, testRequest } from './testing.ts'

const vip = '192.168.100.240'
const withPool = (changes: Parameters<typeof pool>[0]): Groundwork => ({
  ...goodGroundwork,
  metallb: { ...goodGroundwork.metallb, pools: [pool(changes)] },
})

test('an address of the pool with a router behind it is as it should be', () => {
  expect(judgeOutcome(testRequest(), goodGroundwork, outcome())).toEqual({ addresses: [vip] })
})

test('what MetalLB notes of the pool counts as well as the addresses of the pool', () => {
  const noted = outcome({ annotations: { 'metallb.io/ip-allocated-from-pool': 'apps' }, ips: ['192.168.100.230'] })
  expect(judgeOutcome(testRequest(), goodGroundwork, noted).addresses).toEqual(['192.168.100.230'])
})

const none = { ips: [] }
const told = (...reasons: string[]) => ({
  events: reasons.map((reason, index) => ({ reason, message: 'why', time: `2026-01-01T00:00:0${index}Z` })),
})
const ranged = { metallb: { addressPoolName: 'apps', ipAddressPoolRange: '192.168.100.241-192.168.100.250' } }

test.each<[Reason, string, Outcome, Groundwork?, object?]>([
  ['AddressPending', 'nothing was given', outcome(none)],
  ['AddressPending', 'one was given after a failure', outcome(none, told('AllocationFailed', 'IPAllocated'))],
  ['AllocationFailed', 'MetalLB says so', outcome(none, told('IPAllocated', 'AllocationFailed', 'nodeAssigned'))],
  ['AllocationFailed', 'the pinned address is refused', outcome(none, told('LoadBalancerFailed'))],
  ['AddressPoolExhausted', 'the pool is empty', outcome(none), withPool({ availableIPv4: 0 })],
  [
    'LoadBalancerContention',
    'a cloud serves it',
    outcome({ finalizers: ['service.kubernetes.io/load-balancer-cleanup'] }),
  ],
  ['LoadBalancerContention', 'the address is of no pool', outcome({ ips: ['10.0.0.7'] })],
  ['LoadBalancerContention', 'it got a name', outcome({ ips: [], hostnames: ['lb.example.com'] })],
  ['AddressRefused', 'it is no host', outcome({ ips: ['127.0.0.1'] }), withPool({ addresses: ['127.0.0.0/8'] })],
  ['AddressRefused', 'the pool is elsewhere', outcome({ ips: ['10.0.0.7'] }), withPool({ addresses: ['10.0.0.0/24'] })],
  [
    'AddressRefused',
    'it is the proxy’s',
    outcome({ ips: ['192.168.100.10'] }),
    withPool({ addresses: ['192.168.100.0/24'] }),
  ],
  ['AddressRefused', 'it is outside the range that was given', outcome(), goodGroundwork, ranged],
  ['NoRouterEndpoints', 'nobody is ready', outcome({}, { readyEndpoints: 0 })],
  [
    'AppsDomainMismatch',
    'the router serves other names',
    outcome(),
    { ...goodGroundwork, router: { domain: 'apps.other', expectsProxyHeader: false } },
  ],
])('%s when %s', (reason, _, found, groundwork = goodGroundwork, apps = {}) => {
  expect(judgeOutcome(testRequest(apps), groundwork, found).trouble?.reason).toBe(reason)
})

const someAddress = fc.oneof(
  fc.nat(0xffffffff).map(formatIpv4),
  fc.integer({ min: 0, max: 255 }).map((last) => `192.168.100.${last}`),
  fc.string(),
)
const somePool = fc.oneof(
  someAddress.map((text) => `${text}-192.168.100.255`),
  someAddress.map((text) => `${text}/24`),
  fc.constant('192.168.100.0/24'),
  fc.string(),
)
const free = rangesOf([
  '192.168.100.0/32',
  '192.168.100.4-192.168.100.9',
  '192.168.100.11-192.168.100.99',
  '192.168.100.200-192.168.100.255',
])

test('whatever the hosted cluster says, no address outside the pool, the VLAN or among our own is taken', () => {
  fc.assert(
    fc.property(fc.array(somePool), fc.array(someAddress), fc.string(), (addresses, ips, note) => {
      const annotations = { 'metallb.io/ip-allocated-from-pool': note }
      const { addresses: accepted } = judgeOutcome(
        testRequest(),
        withPool({ addresses }),
        outcome({ ips, annotations }),
      )
      expect(accepted.every((ip) => isInRanges(free, ip))).toBe(true)
      if (note !== 'apps') expect(accepted.every((ip) => isInRanges(rangesOf(addresses), ip))).toBe(true)
    }),
  )
})

test('objects of any form can be read', () => {
  const keys = ['metadata', 'spec', 'status', 'name', 'labels', 'addresses', 'ingress', 'loadBalancer', 'endpoints']
  const anything = fc.anything({ key: fc.oneof(fc.constantFrom(...keys), fc.string()), maxDepth: 5 })
  fc.assert(
    fc.property(anything, (object) => {
      const service = readService(object)
      const found = {
        router: readRouter(object),
        metallb: {
          ...goodGroundwork.metallb,
          pools: [readPool(object)],
          l2Advertisements: [readAdvertisement(object)],
        },
      }
      const judged = judgeOutcome(testRequest(), found, {
        service,
        events: [readEvent(object)],
        readyEndpoints: countReady([object]),
      })
      expect(judged.addresses).toEqual([])
    }),
  )
})
