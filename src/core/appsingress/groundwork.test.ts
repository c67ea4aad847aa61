import { expect, test } from 'vitest'
import type { Reason } from '../../api/reasons.ts'
import { groundworkProblem, loadBalancerClassOf } from './groundwork.ts'
import type { Groundwork, MetalLB } from './hosted.ts'
import { goodGroundwork, pool, testRequest } from './testing.ts'

const found = (changes: Partial<MetalLB>): Groundwork => ({
  ...goodGroundwork,
  metallb: { ...goodGroundwork.metallb, ...changes },
})
const metallb = (changes: object) => ({ metallb: { addressPoolName: 'apps', ...changes } })
const range = (ipAddressPoolRange: string) => metallb({ ipAddressPoolRange })
const named = (...pools: string[]) => found({ l2Advertisements: [{ name: 'some', pools, selectors: [] }] })
const selecting = (operator: string, key = 'tier') => {
  const matchExpressions = [{ key, operator, values: ['apps'] }]
  return found({
    pools: [pool({ labels: { tier: 'apps' } })],
    l2Advertisements: [{ name: 'some', pools: [], selectors: [{ matchLabels: { tier: 'apps' }, matchExpressions }] }],
  })
}
const ofClass = { service: { loadBalancerClass: 'a.b/c' } }
const serving = (loadBalancerClass?: string) => found({ instances: [{ loadBalancerClass }] })
const byBgp = found({ l2Advertisements: [], bgpAdvertisements: [{ name: 'bgp', pools: [], selectors: [] }] })
const proxied = { ...goodGroundwork, router: { domain: undefined, expectsProxyHeader: true } }

test.each<[string, object, Groundwork]>([
  ['all is well', {}, goodGroundwork],
  ['nothing is known of the router', {}, { ...goodGroundwork, router: undefined }],
  ['the range lies beside everything else', range('192.168.100.240/29, 192.168.100.50-192.168.100.60'), goodGroundwork],
  ['an advertisement names the pool', {}, named('other', 'apps')],
  ['an advertisement selects the pool', {}, selecting('In')],
  ['an advertisement selects the pool by a label', {}, selecting('Exists')],
  ['an advertisement selects the pool by no label', {}, selecting('DoesNotExist', 'old')],
  ['it is advertised by BGP', {}, byBgp],
  ['the class is the one served', ofClass, serving('a.b/c')],
  ['the class cannot be compared', ofClass, goodGroundwork],
])('the Service may be written when %s', (_, apps, groundwork) => {
  expect(groundworkProblem(testRequest(apps), groundwork)).toBeUndefined()
})

test.each<[Reason, string, object, Groundwork]>([
  ['AddressRefused', 'the range is elsewhere', range('192.168.101.1-192.168.101.9'), goodGroundwork],
  ['AddressTaken', 'the range has addresses of DHCP', range('192.168.100.190-192.168.100.210'), goodGroundwork],
  ['AddressTaken', 'the range has the gateway', range('192.168.100.0/30'), goodGroundwork],
  ['ProxyProtocolExpected', 'the router wants a PROXY header', {}, proxied],
  ['MetalLBNotInstalled', 'there is no MetalLB', {}, { ...goodGroundwork, metallb: undefined }],
  ['AddressPoolNotFound', 'there is no such pool', metallb({ addressPoolName: 'other' }), goodGroundwork],
  ['AddressPoolNotFound', 'there is no pool at all', {}, found({ pools: [] })],
  ['NotAdvertised', 'there is no advertisement', {}, found({ l2Advertisements: [] })],
  ['NotAdvertised', 'it is for another pool', {}, named('other')],
  ['NotAdvertised', 'the one that was named is not there', metallb({ l2AdvertisementName: 'mine' }), goodGroundwork],
  ['NotAdvertised', 'the one that was named is for BGP', metallb({ l2AdvertisementName: 'bgp' }), byBgp],
  ['NotAdvertised', 'its selector does not match', {}, selecting('NotIn')],
  ['NotAdvertised', 'its selector is not understood', {}, selecting('Resembles')],
  ['LoadBalancerClassMismatch', 'MetalLB serves none', ofClass, serving()],
  ['LoadBalancerClassMismatch', 'MetalLB serves another', ofClass, serving('x.y/z')],
])('%s when %s', (reason, _, apps, groundwork) => {
  expect(groundworkProblem(testRequest(apps), groundwork)).toMatchObject({ reason })
})

test('the class is the user’s, else the one that MetalLB serves', () => {
  expect(loadBalancerClassOf(testRequest(ofClass), serving('x.y/z'))).toBe('a.b/c')
  expect(loadBalancerClassOf(testRequest(), serving('x.y/z'))).toBe('x.y/z')
  expect(loadBalancerClassOf(testRequest(), goodGroundwork)).toBeUndefined()
})
