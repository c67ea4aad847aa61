import type { Infra } from '../../api/infra.ts'
import { kinds } from '../../api/kinds.ts'
import type { Groundwork, Outcome, Pool, Service } from './hosted.ts'
import { type AppsRequest, vlanOf } from './request.ts'

/** A hosted cluster as it should be, for tests that spoil one thing each. */

type AppsInput = object

export function testInfra(apps: AppsInput = {}): Infra {
  return kinds.Infra.schema.parse({
    apiVersion: 'hostedcluster.densityops.com/v1alpha1',
    kind: 'Infra',
    metadata: { name: 'c1', namespace: 'tenant' },
    spec: {
      networkConfig: { cidr: '192.168.100.0/24', gateway: '192.168.100.1' },
      infraComponents: {
        dhcp: { serverIP: '192.168.100.2', rangeStart: '192.168.100.100', rangeEnd: '192.168.100.199' },
        dns: { serverIP: '192.168.100.3', clusterName: 'c1', baseDomain: 'example.com' },
        proxy: { serverIP: '192.168.100.10' },
      },
      appsIngress: { enabled: true, metallb: { addressPoolName: 'apps' }, ...apps },
    },
  })
}

export function testRequest(apps: AppsInput = {}): AppsRequest {
  const infra = testInfra(apps)
  const { appsIngress } = infra.spec
  if (!appsIngress) throw new Error('it has one')
  return { owner: 'Infra tenant/c1', spec: appsIngress, domain: 'apps.c1.example.com', vlan: vlanOf(infra, []) }
}

export const pool = (changes: Partial<Pool> = {}): Pool => ({
  name: 'apps',
  labels: {},
  addresses: ['192.168.100.240-192.168.100.250'],
  availableIPv4: undefined,
  ...changes,
})

export const goodGroundwork = {
  metallb: {
    pools: [pool()],
    l2Advertisements: [{ name: 'all', pools: [], selectors: [] }],
    bgpAdvertisements: [],
    instances: [],
  },
  router: { domain: 'apps.c1.example.com', expectsProxyHeader: false },
} satisfies Groundwork

export function service(changes: Partial<Service> = {}): Service {
  return {
    labels: {},
    annotations: {},
    finalizers: [],
    loadBalancerClass: undefined,
    ips: ['192.168.100.240'],
    hostnames: [],
    ...changes,
  }
}

export function outcome(changes: Partial<Service> = {}, more: Partial<Outcome> = {}): Outcome {
  return { service: service(changes), events: [], readyEndpoints: 1, ...more }
}
