import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkResource } from '../../api/check.ts'
import { type Infra, type InfraInput, infraSchema } from '../../api/infra.ts'
import { type KindDefinition, kinds, type Resource } from '../../api/kinds.ts'
import { apiVersion } from '../../api/meta.ts'
import { formatCidr, netmask } from '../net/cidr.ts'
import { formatIpv4 } from '../net/ipv4.ts'
import { type Components, translate } from './translate.ts'

/** Most addresses are inside the network, near its ends, and few of them differ: so that all rules are met often. */
function addressIn(network: number, prefixLength: number): fc.Arbitrary<string> {
  const size = 2 ** (32 - prefixLength)
  const offset = fc.oneof(fc.integer({ min: 0, max: Math.min(size - 1, 12) }), fc.integer({ min: -1, max: size }))
  return offset.map((by) => formatIpv4((network + by) >>> 0))
}

const infraInput: fc.Arbitrary<InfraInput> = fc
  .tuple(fc.integer({ min: 0x01000000, max: 0xdfffff00 }), fc.integer({ min: 8, max: 31 }))
  .chain(([anywhere, prefixLength]) => {
    const network = (anywhere & netmask({ network: 0, prefixLength })) >>> 0
    const address = addressIn(network, prefixLength)
    const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
    const name = fc.constantFrom('a', 'api', 'oauth', 'w1', 'kube-apiserver')
    const hostname = fc.constantFrom('api.c1.example.com', '*.x.example.com', 'registry.example.org', 'kubernetes')
    const backend = fc.record({
      name,
      hostname,
      port: fc.constantFrom(53, 443, 6443, 8443),
      targetAddress: address,
      targetPort: fc.constant(443),
      default: fc.boolean(),
    })
    return fc.record({
      apiVersion: fc.constant(apiVersion),
      kind: fc.constant('Infra' as const),
      metadata: fc.constant({ name: 'c1' }),
      spec: fc.record({
        networkConfig: fc.record({
          cidr: fc.constant(formatCidr({ network, prefixLength })),
          gateway: some(address),
          dnsServers: some(
            fc.array(fc.oneof(address, fc.constantFrom('resolv.conf', '10.0.0.1:53')), { maxLength: 3 }),
          ),
        }),
        infraComponents: fc.record({
          dhcp: some(
            fc.record({
              enabled: fc.boolean(),
              serverIP: address,
              rangeStart: address,
              rangeEnd: address,
              exclusions: some(fc.array(address, { maxLength: 3 })),
              reservations: some(fc.array(fc.record({ vmName: name, address: some(address) }), { maxLength: 3 })),
            }),
          ),
          dns: some(
            fc.record({
              enabled: fc.boolean(),
              serverIP: address,
              baseDomain: fc.constant('example.com'),
              clusterName: fc.constantFrom('c1', 'c2'),
              staticEntries: some(fc.array(fc.record({ hostname, ip: address }), { maxLength: 3 })),
            }),
          ),
          proxy: some(
            fc.record({
              enabled: fc.boolean(),
              serverIP: some(address),
              internalProxyService: some(fc.oneof(address, fc.constant('proxy.example.com'))),
              backends: some(fc.array(backend, { maxLength: 2 })),
              targets: some(fc.array(fc.record({ name, address, port: fc.constant(1) }), { maxLength: 2 })),
            }),
          ),
        }),
        appsIngress: some(fc.record({ enabled: fc.boolean(), address })),
      }),
    })
  })

function checkComponents(infra: Infra, { dhcp, dns, proxy }: Components): void {
  for (const object of [dhcp, dns, proxy]) {
    if (!object) continue
    const kind: KindDefinition<Resource> = kinds[object.kind]
    expect(checkResource(kind, object, 'file')).toMatchObject({ ok: true })
  }
  const { infraComponents } = infra.spec
  expect([!!dhcp, !!dns, !!proxy]).toEqual(
    [infraComponents.dhcp, infraComponents.dns, infraComponents.proxy].map((component) => component?.enabled === true),
  )
  if (dhcp) {
    expect(dhcp.spec.networkConfig.dnsServers).not.toHaveLength(0)
    expect(dhcp.spec.exclusions).toContain(dhcp.spec.networkConfig.serverIP)
    if (dns) expect(dhcp.spec.exclusions).toContain(dns.spec.networkConfig.serverIP)
    if (proxy) expect(dhcp.spec.exclusions).toContain(proxy.spec.networkConfig.serverIP)
  }
  if (dns && proxy) {
    const answered = (dns.spec.staticEntries ?? []).map(({ hostname }) => hostname)
    const domain = `.${dns.spec.hostedClusterDomain}`
    const names = proxy.spec.backends.map(({ hostname }) => hostname).filter((name) => name.endsWith(domain))
    expect(answered).toEqual(expect.arrayContaining(names))
  }
  const onPodNetwork = proxy?.spec.backends.filter(({ podNetwork }) => podNetwork).map(({ name }) => name) ?? []
  expect(onPodNetwork).not.toContain('ignition-server')
  expect(onPodNetwork).not.toContain('konnectivity-server')
}

test('any Infra of the right shape becomes sound components, or problems that name a field', {
  timeout: 60_000,
}, () => {
  let translatedCount = 0
  fc.assert(
    fc.property(infraInput, (input) => {
      const parsed = infraSchema.safeParse(JSON.parse(JSON.stringify(input)))
      if (!parsed.success) return
      const result = translate(parsed.data)
      if (result.ok) {
        translatedCount++
        checkComponents(parsed.data, result.value)
        return
      }
      expect(result.problems.length).toBeGreaterThan(0)
      for (const { field, message } of result.problems) expect([message, field]).not.toContain(undefined)
    }),
    { numRuns: 1000 },
  )
  expect(translatedCount).toBeGreaterThan(10)
})
