import fc from 'fast-check'
import { expect, test } from 'vitest'
import { preflightFindings } from './checks.ts'
import { discoverEndpoints } from './endpoints.ts'
import { readHostedCluster } from './hostedcluster.ts'
import { readNodePool } from './nodepool.ts'
import { controlPlane } from './testing.ts'

const rubbish = fc.anything({ maxDepth: 2 })
const host = fc.constantFrom(
  'api.foo.example.com',
  'API.Foo.Example.COM.',
  '10.0.0.7',
  'fd00::1',
  '',
  'a b',
  'x',
  '999.1.1.1',
)
const port = fc.oneof(fc.constantFrom(0, 443, 6443, 30001, 65536, -1, 1.5, '443'), fc.integer())
const maybe = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: rubbish })

const strategy = fc.record(
  {
    type: maybe(fc.constantFrom('Route', 'LoadBalancer', 'NodePort', 'None', 'S3', '__proto__', 'toString')),
    route: maybe(fc.record({ hostname: maybe(host) }, { requiredKeys: [] })),
    loadBalancer: maybe(fc.record({ hostname: maybe(host) }, { requiredKeys: [] })),
    nodePort: maybe(fc.record({ address: maybe(host), port: maybe(port) }, { requiredKeys: [] })),
  },
  { requiredKeys: [] },
)

/** Of the right form here and there, so that every branch is met, and of any form in between. */
const anyCluster = fc.record(
  {
    metadata: maybe(fc.record({ name: maybe(fc.constant('foo')), namespace: maybe(fc.constant('clusters')) })),
    spec: maybe(
      fc.record(
        {
          platform: maybe(fc.record({ type: maybe(fc.constant('KubeVirt')), kubevirt: rubbish })),
          dns: maybe(fc.record({ baseDomain: maybe(host), baseDomainPrefix: maybe(host) }, { requiredKeys: [] })),
          networking: maybe(fc.record({ clusterNetwork: maybe(fc.array(fc.record({ cidr: maybe(host) }))) })),
          services: maybe(
            fc.array(
              fc.record({
                service: maybe(fc.constantFrom('APIServer', 'OAuthServer', 'Konnectivity', 'Ignition', 'OIDC')),
                servicePublishingStrategy: maybe(strategy),
              }),
            ),
          ),
          kubeAPIServerDNSName: maybe(host),
        },
        { requiredKeys: [] },
      ),
    ),
    status: maybe(
      fc.record(
        {
          controlPlaneEndpoint: maybe(fc.record({ host: maybe(host), port: maybe(port) }, { requiredKeys: [] })),
          ignitionEndpoint: maybe(
            fc.oneof(
              host,
              fc.tuple(host, port).map(([name, number]) => `${name}:${number}`),
            ),
          ),
          oauthCallbackURLTemplate: maybe(host.map((name) => `https://${name}:443/x`)),
        },
        { requiredKeys: [] },
      ),
    ),
  },
  { requiredKeys: [] },
)

const anyRoutes = fc.dictionary(
  fc.constantFrom('oauth', 'kube-apiserver', 'metrics-proxy', 'konnectivity-server'),
  host,
)

/** Every text anywhere in it, as names are compared. */
function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value.toLowerCase()]
  if (typeof value !== 'object' || value === null || depth > 8) return []
  return Object.values(value).flatMap((part) => textsIn(part, depth + 1))
}

test('any shape gives endpoints or problems, and never a name that nobody wrote', () => {
  fc.assert(
    fc.property(fc.oneof(anyCluster, rubbish), anyRoutes, fc.boolean(), (object, routes, hasRoutes) => {
      const cluster = readHostedCluster(object)
      const discovery = discoverEndpoints(cluster, controlPlane(routes, {}, hasRoutes))
      const written = [...textsIn(object), ...textsIn(routes)]
      for (const { hosts, port: listened } of discovery.endpoints) {
        expect(listened).toSatisfy((number: number) => Number.isInteger(number) && number > 0 && number < 65536)
        for (const name of hosts) expect(written.some((text) => text.includes(name))).toBe(true)
      }
      const names = discovery.endpoints.map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
      const known = names.filter((name) => name !== 'metrics-proxy').length
      expect(discovery.problems.length + known).toBeGreaterThanOrEqual(4)
      const places = discovery.endpoints.flatMap(({ hosts, port: on }) => hosts.map((name) => `${name}:${on}`))
      expect(new Set(places).size).toBe(places.length)
      const vlan = { cidr: '192.168.100.0/24', proxyAddresses: [] }
      const plan = { cluster, discovery, vlan, nodePools: [readNodePool(object)], wantsApps: true }
      for (const { message } of preflightFindings(plan)) expect(message).not.toContain('undefined')
    }),
    { numRuns: 2000 },
  )
})
