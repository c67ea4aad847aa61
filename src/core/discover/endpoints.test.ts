import { describe, expect, test } from 'vitest'
import { type ControlPlane, nothingYet, publishedServiceOf, routeHostOf } from './controlplane.ts'
import { discoverEndpoints } from './endpoints.ts'
import { readHostedCluster } from './hostedcluster.ts'
import { controlPlane, hostedCluster, loadBalancer, nodePort, recommended, route } from './testing.ts'

/** `name host[,host]:port -> service:port` of each, and the reasons of what is missing or odd. */
function discovered(object: unknown, plane: ControlPlane = nothingYet) {
  const { endpoints, problems, warnings } = discoverEndpoints(readHostedCluster(object), plane)
  return {
    served: endpoints.map(
      ({ name, hosts, port, service, servicePort }) =>
        `${name} ${hosts.join(',')}:${port} -> ${service}:${servicePort}`,
    ),
    missing: problems.map(({ reason, message }) => `${reason}: ${message}`),
    odd: warnings.map(({ reason }) => reason),
  }
}

describe('the three ways to publish', () => {
  test('LoadBalancer for the API and Routes with names serve before anything is up', () => {
    expect(discovered(hostedCluster(recommended))).toEqual({
      served: [
        'kube-apiserver api.foo.example.com:6443 -> kube-apiserver:6443',
        'oauth-openshift oauth.foo.example.com:443 -> oauth-openshift:6443',
        'ignition-server ignition.foo.example.com:443 -> ignition-server-proxy:443',
        'konnectivity-server konnectivity.foo.example.com:443 -> konnectivity-server:8091',
      ],
      missing: [],
      odd: [],
    })
  })

  test('Routes throughout: all on 443', () => {
    const names = ['api', 'oauth', 'konnectivity', 'ignition'].map((name) => route(`${name}.foo.example.com`))
    expect(discovered(hostedCluster(names)).served.every((line) => line.includes('.foo.example.com:443 '))).toBe(true)
  })

  test('NodePorts: one name, a port for each', () => {
    const plane = controlPlane(
      {},
      {
        'kube-apiserver': { nodePort: 30001 },
        'oauth-openshift': { nodePort: 30002 },
        'konnectivity-server': { nodePort: 30003 },
        'ignition-server-proxy': { nodePort: 30004 },
      },
    )
    const found = discovered(hostedCluster([1, 2, 3, 4].map(() => nodePort('cp.foo.example.com'))), plane)
    expect(found.served).toEqual([
      'kube-apiserver cp.foo.example.com:30001 -> kube-apiserver:6443',
      'oauth-openshift cp.foo.example.com:30002 -> oauth-openshift:6443',
      'ignition-server cp.foo.example.com:30004 -> ignition-server-proxy:443',
      'konnectivity-server cp.foo.example.com:30003 -> konnectivity-server:8091',
    ])
  })

  test('a node port that the spec names serves before its Service is there', () => {
    const found = discovered(hostedCluster([nodePort('cp.foo.example.com', 30007), ...recommended.slice(1)]))
    expect(found.served[0]).toBe('kube-apiserver cp.foo.example.com:30007 -> kube-apiserver:6443')
  })
})

describe('what HyperShift chooses itself', () => {
  const asCreated = hostedCluster([loadBalancer(), route(), route(), route()])

  test('is waited for', () => {
    const { served, missing } = discovered(asCreated)
    expect(served).toEqual([])
    expect(missing).toHaveLength(4)
    expect(missing.every((line) => line.startsWith('EndpointPending'))).toBe(true)
    expect(discovered(asCreated, controlPlane({}, {}, false)).missing[1]).toContain('has no Routes to learn it from')
  })

  test('is read from Routes and Services', () => {
    const routes = { oauth: 'oauth-clusters-foo.apps.mgmt.example.com', 'ignition-server': 'ign.apps.mgmt.example.com' }
    const found = discovered(asCreated, controlPlane(routes, { 'kube-apiserver': { loadBalancer: '10.0.0.7' } }))
    expect(found.served).toEqual([
      'kube-apiserver 10.0.0.7:6443 -> kube-apiserver:6443',
      'oauth-openshift oauth-clusters-foo.apps.mgmt.example.com:443 -> oauth-openshift:6443',
      'ignition-server ign.apps.mgmt.example.com:443 -> ignition-server-proxy:443',
    ])
    expect(found.missing).toEqual([
      'EndpointPending: where nodes call Konnectivity is not known yet: Route konnectivity-server is not there yet',
    ])
  })

  test('objects are read as the API server gives them', () => {
    expect(routeHostOf({ spec: { host: 'a.example.com' } })).toBe('a.example.com')
    const status = { loadBalancer: { ingress: [{ ip: '10.0.0.7' }] } }
    expect(publishedServiceOf({ spec: { ports: [{ nodePort: 30001 }] }, status })).toEqual({
      nodePort: 30001,
      loadBalancer: '10.0.0.7',
    })
    expect(publishedServiceOf(undefined)).toEqual({ nodePort: undefined, loadBalancer: undefined })
  })
})

describe('what the HostedCluster reports', () => {
  test('as published is no news', () => {
    const status = {
      controlPlaneEndpoint: { host: 'api.foo.example.com', port: 6443 },
      ignitionEndpoint: 'ignition.foo.example.com',
      oauthCallbackURLTemplate: 'https://oauth.foo.example.com:443/oauth2callback/[identity-provider-name]',
    }
    expect(discovered(hostedCluster(recommended, { status })).odd).toEqual([])
  })

  test('otherwise is served too, on the port it reports, and said', () => {
    const status = { controlPlaneEndpoint: { host: 'API.other.example.com', port: 7443 } }
    const found = discovered(hostedCluster(recommended, { status }))
    expect(found.served[0]).toBe('kube-apiserver api.foo.example.com,api.other.example.com:7443 -> kube-apiserver:6443')
    expect(found.odd).toEqual(['EndpointMismatch'])
  })

  test('is enough for a version without spec.services', () => {
    const status = {
      controlPlaneEndpoint: { host: 'api.foo.example.com', port: 6443 },
      ignitionEndpoint: 'cp.foo.example.com:30004',
    }
    const found = discovered(hostedCluster([], { status }), controlPlane({ oauth: 'oauth.example.com' }))
    expect(found.served).toEqual([
      'kube-apiserver api.foo.example.com:6443 -> kube-apiserver:6443',
      'oauth-openshift oauth.example.com:443 -> oauth-openshift:6443',
      'ignition-server cp.foo.example.com:30004 -> ignition-server-proxy:443',
    ])
    expect(found.missing).toHaveLength(1)
  })
})

test('a further name of the API, and the Route of metrics', () => {
  const object = hostedCluster(recommended, {
    spec: { ...hostedCluster(recommended).spec, kubeAPIServerDNSName: 'k8s.example.org' },
  })
  const found = discovered(object, controlPlane({ 'metrics-proxy': 'metrics.example.com' }))
  expect(found.served[0]).toContain('api.foo.example.com,k8s.example.org:6443')
  expect(found.served.at(-1)).toBe('metrics-proxy metrics.example.com:443 -> metrics-proxy:443')
})

test('two services under one name: the first has it, and it is said', () => {
  const found = discovered(hostedCluster([...recommended.slice(0, 2), route('oauth.foo.example.com'), recommended[3]]))
  expect(found.served).toHaveLength(3)
  expect(found.missing).toEqual([expect.stringContaining('DuplicateHostname: oauth.foo.example.com:443')])
})

test.each([
  ['Route of the API without a name', [route(), ...recommended.slice(1)], 'without route.hostname'],
  [
    'LoadBalancer of OAuth',
    [recommended[0], loadBalancer('oauth.example.com'), ...recommended.slice(2)],
    'Route, NodePort would do',
  ],
  ['a type nobody knows', [{ type: 'Carrier' }, ...recommended.slice(1)], '"Carrier"'],
  ['no type', [{}, ...recommended.slice(1)], 'published as ""'],
  [
    'a mistyped address',
    [loadBalancer('192.168.100.400'), ...recommended.slice(1)],
    'neither a DNS name nor an address',
  ],
])('%s is said, the rest is served', (_, strategies, message) => {
  const found = discovered(hostedCluster(strategies))
  expect(found.served).toHaveLength(3)
  expect(found.missing[0]).toMatch(/^PublishingUnusable/)
  expect(found.missing[0]).toContain(message)
})
