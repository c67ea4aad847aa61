import { expect, test } from 'vitest'
import { preflightFindings } from './checks.ts'
import { discoverEndpoints } from './endpoints.ts'
import { readHostedCluster } from './hostedcluster.ts'
import { publishingVariants, recommendedServices } from './publishing.ts'
import { controlPlane, hostedCluster } from './testing.ts'

test.each(publishingVariants)('what is recommended as %s passes our own checks', (variant) => {
  const services = recommendedServices('foo.example.com', variant)
  const cluster = readHostedCluster(hostedCluster([], { spec: { services } }))
  const names = ['kube-apiserver', 'oauth-openshift', 'konnectivity-server', 'ignition-server-proxy']
  const ports = Object.fromEntries(names.map((name, index) => [name, { nodePort: 30001 + index }]))
  const discovery = discoverEndpoints(cluster, controlPlane({}, ports))
  expect(discovery).toMatchObject({ problems: [], warnings: [] })
  expect(discovery.endpoints).toHaveLength(4)
  const vlan = { cidr: '192.168.100.0/24', proxyAddresses: ['192.168.100.10'] }
  expect(preflightFindings({ cluster, discovery, vlan, nodePools: undefined, wantsApps: true })).toEqual([])
})
