import { expect, test } from 'vitest'
import { type Plan, preflightFindings } from './checks.ts'
import { discoverEndpoints } from './endpoints.ts'
import { readHostedCluster } from './hostedcluster.ts'
import { readNodePool } from './nodepool.ts'
import { controlPlane, hostedCluster, loadBalancer, recommended, route } from './testing.ts'

function found(changes: { spec?: object; plan?: Partial<Plan>; strategies?: object[] } = {}): string[] {
  const object = hostedCluster(changes.strategies ?? recommended, { spec: changes.spec ?? {} })
  const cluster = readHostedCluster(object)
  const plane = controlPlane({}, { 'kube-apiserver': { loadBalancer: '10.0.0.7' } })
  const plan: Plan = {
    cluster,
    discovery: discoverEndpoints(cluster, plane),
    vlan: { cidr: '192.168.100.0/24', proxyAddresses: ['192.168.100.10'] },
    nodePools: undefined,
    wantsApps: true,
    ...changes.plan,
  }
  return preflightFindings(plan).map(({ reason, isWarning }) => `${isWarning ? 'warning' : 'problem'} ${reason}`)
}

test('the recommended cluster has nothing to be said about it', () => {
  expect(found()).toEqual([])
})

test.each<[string, Parameters<typeof found>[0], string]>([
  ['another platform', { spec: { platform: { type: 'AWS' } } }, 'problem PlatformUnsupported'],
  ['no platform', { spec: { platform: undefined } }, 'problem PlatformUnsupported'],
  [
    'machines in another cluster',
    { spec: { platform: { type: 'KubeVirt', kubevirt: { credentials: { infraNamespace: 'x' } } } } },
    'problem PlatformUnsupported',
  ],
  [
    'an API by address elsewhere',
    { strategies: [loadBalancer(), ...recommended.slice(1)] },
    'problem PublishedAddressUnreachable',
  ],
  ['no base domain', { spec: { dns: { baseDomain: '' } } }, 'problem BaseDomainUnusable'],
  [
    'base domain passed through',
    { spec: { platform: { type: 'KubeVirt', kubevirt: { baseDomainPassthrough: true } } } },
    'problem BaseDomainUnusable',
  ],
  ['no ingress', { spec: { capabilities: { disabled: ['Ingress'] } } }, 'problem IngressDisabled'],
  [
    'pods where the VLAN is',
    { spec: { networking: { clusterNetwork: [{ cidr: '192.168.0.0/16' }] } } },
    'warning NetworksOverlap',
  ],
  [
    'the API of each node where the VLAN is',
    { spec: { networking: { apiServer: { advertiseAddress: '192.168.100.77' } } } },
    'warning NetworksOverlap',
  ],
  [
    'machines elsewhere',
    { spec: { networking: { machineNetwork: [{ cidr: '10.0.0.0/8' }] } } },
    'warning NetworksOverlap',
  ],
  [
    'OAuth among the applications',
    { strategies: [...recommended.slice(0, 1), route('oauth.apps.foo.example.com'), ...recommended.slice(2)] },
    'warning NameInsideApps',
  ],
])('%s', (_, changes, expected) => {
  expect(found(changes)).toEqual([expected])
})

test('an API by an address of the VLAN will do', () => {
  expect(found({ strategies: [loadBalancer('192.168.100.10'), ...recommended.slice(1)] })).toEqual([])
})

test('without wanted applications a missing ingress is nobody’s business', () => {
  expect(found({ spec: { capabilities: { disabled: ['Ingress'] } }, plan: { wantsApps: false } })).toEqual([])
})

test('NodePools have to be on the VLAN, and there alone', () => {
  const pool = (kubevirt: object) => readNodePool({ metadata: { name: 'np' }, spec: { platform: { kubevirt } } })
  const alone = { additionalNetworks: [{ name: 'clusters-foo/vlan100' }], attachDefaultNetwork: false }
  expect(found({ plan: { nodePools: [pool(alone)] } })).toEqual([])
  expect(found({ plan: { nodePools: [pool({ ...alone, attachDefaultNetwork: undefined })] } })).toEqual([
    'warning NodePoolOnPodNetwork',
  ])
  expect(found({ plan: { nodePools: [pool({})] } })).toEqual(['warning NodePoolNotOnVlan'])
})
