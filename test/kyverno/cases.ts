/** What the policy is asked, and what must come of it: an Ingress, or none and a sentence. */
export interface Case {
  readonly title: string
  readonly services: readonly Record<string, unknown>[]
  readonly metadata?: Record<string, unknown>
  readonly spec: Record<string, unknown>
  readonly expected:
    | { readonly error: string }
    | { readonly labels?: Record<string, string>; readonly spec: Record<string, unknown> }
}

const relayLabels = {
  'cluster.x-k8s.io/cluster-name': 'kubernetes-prod',
  'cluster.x-k8s.io/tenant-service-name': 'relay',
  'cluster.x-k8s.io/tenant-service-namespace': 'apps',
}

const relay = 'a18c2be1873b84bcd8630e79298a07cf'
const other = 'a99c2be1873b84bcd8630e79298a07cf'

function service(name: string, more: { labels?: Record<string, string>; created?: string; leaving?: true } = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      namespace: 'tenant',
      labels: more.labels ?? relayLabels,
      creationTimestamp: more.created ?? '2026-01-01T00:00:00Z',
      ...(more.leaving ? { deletionTimestamp: '2026-02-01T00:00:00Z', finalizers: ['example.com/wait'] } : {}),
    },
    spec: { type: 'LoadBalancer', ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 30_080 }] },
  }
}

const byLabels = { service: { matchLabels: relayLabels, port: { number: 80 } } }
const byName = (name: string, port: Record<string, unknown> = { number: 80 }) => ({ service: { name, port } })

/** One host, one path. */
function routed(backend: Record<string, unknown>, more: Record<string, unknown> = {}): Record<string, unknown> {
  const paths = [{ path: '/', pathType: 'Prefix', backend }]
  return { ingressClassName: 'nginx', rules: [{ host: 'relay.example.com', http: { paths } }], ...more }
}

const newestWanted = { selection: { multipleMatches: 'Newest' } }
const two = [
  service(other, { created: '2026-01-01T00:00:00Z' }),
  service(relay, { created: '2026-01-02T00:00:00Z' }),
  service('unrelated', { labels: { app: 'web' } }),
]

export const cases: readonly Case[] = [
  {
    title: 'takes the one Service that has all labels',
    services: [
      service(relay),
      service('nearly', { labels: { ...relayLabels, 'cluster.x-k8s.io/cluster-name': 'test' } }),
    ],
    spec: routed(byLabels, { tls: [{ hosts: ['relay.example.com'], secretName: 'relay-tls' }] }),
    expected: {
      spec: routed(byName(relay), { tls: [{ hosts: ['relay.example.com'], secretName: 'relay-tls' }] }),
    },
  },
  {
    title: 'makes none when no Service matches',
    services: [service('unrelated', { labels: { app: 'web' } })],
    spec: routed(byLabels),
    expected: { error: 'no Service matches cluster.x-k8s.io/cluster-name=kubernetes-prod' },
  },
  {
    title: 'makes none when two match',
    services: two,
    spec: routed(byLabels),
    expected: { error: '2 Services match ' },
  },
  {
    title: 'does not count a Service that is going away',
    services: [service(relay), service(other, { leaving: true })],
    spec: routed(byLabels),
    expected: { spec: routed(byName(relay)) },
  },
  {
    title: 'takes the newest where that is wanted',
    services: two,
    spec: routed(byLabels, newestWanted),
    expected: { spec: routed(byName(relay)) },
  },
  {
    title: 'takes the oldest where one backend wants it, against the others',
    services: two,
    spec: routed({ service: { ...byLabels.service, multipleMatches: 'Oldest' } }, newestWanted),
    expected: { spec: routed(byName(other)) },
  },
  {
    title: 'takes the first by name where that is wanted',
    services: two,
    spec: routed(byLabels, { selection: { multipleMatches: 'FirstByName' } }),
    expected: { spec: routed(byName(relay)) },
  },
  {
    title: 'knows the four conditions on labels',
    services: [
      service(relay, { labels: { app: 'web', tier: 'front' } }),
      service('in', { labels: { app: 'db', tier: 'front' } }),
      service('exists', { labels: { app: 'web' } }),
      service('absent', { labels: { app: 'web', tier: 'front', old: 'yes' } }),
      service('not-in', { labels: { app: 'web', tier: 'back' } }),
    ],
    spec: routed({
      service: {
        matchExpressions: [
          { key: 'app', operator: 'In', values: ['web', 'site'] },
          { key: 'tier', operator: 'Exists' },
          { key: 'tier', operator: 'NotIn', values: ['back'] },
          { key: 'old', operator: 'DoesNotExist' },
        ],
        port: { name: 'http' },
      },
    }),
    expected: { spec: routed(byName(relay, { name: 'http' })) },
  },
  {
    title: 'makes none when the Service has no such port',
    services: [service(relay)],
    spec: routed({ service: { matchLabels: relayLabels, port: { number: 8080 } } }),
    expected: { error: 'has no port 8080 (relay.example.com/)' },
  },
  {
    title: 'resolves the default backend, and leaves names and other resources alone',
    services: [service(relay)],
    spec: {
      defaultBackend: byLabels,
      rules: [
        {
          http: {
            paths: [
              { path: '/named', pathType: 'Exact', backend: byName('web') },
              {
                path: '/bucket',
                pathType: 'Prefix',
                backend: { resource: { apiGroup: 'example.com', kind: 'Bucket', name: 'static' } },
              },
            ],
          },
        },
      ],
    },
    expected: {
      spec: {
        defaultBackend: byName(relay),
        rules: [
          {
            http: {
              paths: [
                { path: '/named', pathType: 'Exact', backend: byName('web') },
                {
                  path: '/bucket',
                  pathType: 'Prefix',
                  backend: { resource: { apiGroup: 'example.com', kind: 'Bucket', name: 'static' } },
                },
              ],
            },
          },
        ],
      },
    },
  },
  {
    title: 'copies labels but those by which other tools know their own, and adds the wanted ones',
    services: [service(relay)],
    metadata: {
      labels: {
        team: 'apps',
        tier: 'front',
        'argocd.argoproj.io/instance': 'x',
        'kustomize.toolkit.fluxcd.io/name': 'x',
        'cluster.x-k8s.io/tenant-service-name': 'x',
        'app.kubernetes.io/managed-by': 'Helm',
      },
    },
    spec: routed(byLabels, { generated: { name: 'relay', labels: { tier: 'edge' } } }),
    expected: { labels: { team: 'apps', tier: 'edge' }, spec: routed(byName(relay)) },
  },
  {
    title: 'changes nothing while suspended',
    services: [service(relay)],
    spec: routed(byLabels, { suspend: true }),
    expected: { error: 'suspended, nothing is changed' },
  },
  {
    title: 'does not pretend: another namespace is not for this engine',
    services: [service(relay)],
    spec: routed({ service: { ...byLabels.service, namespace: 'elsewhere' } }),
    expected: { error: 'a Service of another namespace needs engine native' },
  },
]
