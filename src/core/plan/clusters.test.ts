import { describe, expect, test } from 'vitest'
import { kinds } from '../../api/kinds.ts'
import { goodManifests } from '../../api/testing/manifests.ts'
import { nothingYet } from '../discover/controlplane.ts'
import { hostedCluster, recommended, route } from '../discover/testing.ts'
import { translate } from '../translate/translate.ts'
import type { HostedWorld } from './bind.ts'
import { type Claim, claimOfAttachment, claimOfInfra } from './claims.ts'
import { noneServed, planClusters } from './clusters.ts'

const infra = kinds.Infra.schema.parse({ ...goodManifests.Infra, metadata: { name: 'c1', namespace: 'clusters' } })
const vlan = { namespace: 'clusters', cidr: '192.168.100.0/24', proxyAddresses: ['192.168.100.10'] }

function attachment(name: string, spec: object = {}): Claim {
  const manifest = {
    ...goodManifests.InfraClusterAttachment,
    metadata: { name, namespace: 'clusters' },
    spec: {
      infraRef: { name: 'c1' },
      hostedClusterRef: { name },
      dns: { clusterName: name, baseDomain: 'example.com' },
      ...spec,
    },
  }
  return claimOfAttachment(kinds.InfraClusterAttachment.schema.parse(manifest))
}

/** Every control plane that HyperShift would have made in `clusters` is there. */
function world(changes: Partial<HostedWorld> = {}, clusters: Readonly<Record<string, object>> = {}): HostedWorld {
  return {
    knowsHostedClusters: true,
    knowsMachines: true,
    consent: {
      anyNamespace: false,
      targetCidrs: [],
      hostedClustersOf: (namespace) =>
        namespace.startsWith('clusters-') ? [`clusters/${namespace.replace('clusters-', '')}`] : [],
      annotationOf: () => undefined,
    },
    hostedCluster: ({ namespace, name }) => clusters[`${namespace}/${name}`],
    controlPlane: () => nothingYet,
    nodePools: () => undefined,
    ...changes,
  }
}

/** What an Infra with these claims becomes, starting from what it was. */
function components(claims: readonly Claim[], served?: ReturnType<typeof proxyOf>, at = world()) {
  const { bindings, conflicts } = planClusters(claims, vlan, at, served)
  const result = translate(infra, { mode: 'cluster', bindings, served })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return { ...result.value, conflicts }
}

function proxyOf(claims: readonly Claim[]) {
  return components(claims).proxy
}

const backends = (proxy: ReturnType<typeof proxyOf>) => proxy?.spec.backends.map(({ name }) => name) ?? []

describe('several clusters', () => {
  test('the same cluster as an attachment gives the same components', () => {
    const own = components([claimOfInfra(infra)])
    const apps = { appsIngress: { enabled: true, address: '192.168.100.240' } }
    expect(components([attachment('c1', apps)], own.proxy)).toEqual(own)
    expect(components([attachment('c1', apps)])).toEqual(own)
  })

  test('a second one leaves the first its names, and nobody inherits them', () => {
    const first = proxyOf([attachment('c1')])
    const both = components([attachment('c1'), attachment('c2')], first).proxy
    expect(backends(both).slice(0, 2)).toEqual(['kube-apiserver', 'kube-apiserver-internal'])
    expect(backends(both)).toContain('c2-kube-apiserver')
    const second = components([attachment('c2')], both).proxy
    expect(backends(second)).toContain('c2-kube-apiserver')
    expect(backends(second)).not.toContain('kube-apiserver')
  })

  test('who names no host, or calls for kubernetes, is told by its address; full names are open', () => {
    const both = components([attachment('c1'), attachment('c2')])
    const told = both.proxy?.spec.backends.flatMap(({ name, clientCluster, default: isDefault }) =>
      clientCluster ? [`${name} ${clientCluster} ${isDefault}`] : [],
    )
    expect(told).toEqual([
      'kube-apiserver-kubernetes-hostname clusters-c1 false',
      'kube-apiserver-kubernetes-hostname-6443 clusters-c1 true',
      'c2-kube-apiserver-kubernetes-hostname clusters-c2 false',
      'c2-kube-apiserver-kubernetes-hostname-6443 clusters-c2 true',
    ])
    expect(both.proxy?.spec.backends.filter((one) => one.default && !one.clientCluster)).toEqual([])
    expect(both.dns?.spec).toMatchObject({
      hostedClusterDomain: 'c1.example.com',
      additionalDomains: ['c2.example.com'],
    })
    const names = both.dns?.spec.staticEntries?.map(({ hostname }) => hostname)
    expect(names).toEqual(expect.arrayContaining(['api.c1.example.com', 'api.c2.example.com']))
    expect(both.dhcp?.spec.clientOptions?.domainName).toBeUndefined()
  })
})

describe('conflicts', () => {
  const other = { dns: { clusterName: 'c1', baseDomain: 'example.com' } }

  test('of two that want one domain none is taken up, and others are', () => {
    const found = components([attachment('c1'), attachment('c2', other), attachment('c3')])
    expect(found.conflicts).toMatchObject([{ reason: 'DuplicateHostname', attachments: ['c1', 'c2'] }])
    expect(found.proxy?.spec.backends.every(({ targetNamespace }) => targetNamespace === 'clusters-c3')).toBe(true)
  })

  test('one that is served stays', () => {
    const before = proxyOf([attachment('c1'), attachment('c3')])
    const found = components([attachment('c2', other), attachment('c1'), attachment('c3')], before)
    expect(found.proxy).toEqual(before)
    expect(found.conflicts).toHaveLength(1)
  })

  test('a HostedCluster is attached once', () => {
    const twice = { hostedClusterRef: { name: 'c1' } }
    const before = proxyOf([attachment('c1')])
    const found = components([attachment('c1'), attachment('again', twice)], before)
    expect(found.conflicts).toMatchObject([{ reason: 'DuplicateHostedCluster', attachments: ['c1', 'again'] }])
    expect(found.proxy).toEqual(before)
  })

  test('names that HostedClusters publish count too', () => {
    const shared = [recommended[0], route('login.example.com'), ...recommended.slice(2)].flatMap((one) => one ?? [])
    const named = (name: string) =>
      shared.map((strategy) => JSON.parse(JSON.stringify(strategy).replaceAll('.foo.', `.${name}.`)))
    const clusters = {
      'clusters/c1': hostedCluster(named('c1')),
      'clusters/c2': hostedCluster(named('c2')),
    }
    const { conflicts } = planClusters([attachment('c1'), attachment('c2')], vlan, world({}, clusters), undefined)
    expect(conflicts).toMatchObject([{ reason: 'DuplicateHostname' }])
    expect(conflicts[0]?.message).toContain('login.example.com:443')
  })
})

describe('a HostedCluster', () => {
  const foo = { 'clusters/foo': hostedCluster(recommended) }
  const bare = attachment('foo', { dns: undefined })
  const reasons = (claim: Claim, at: HostedWorld) =>
    planClusters([claim], vlan, at, undefined).bound[0]?.findings?.map(({ reason }) => reason)

  test('gives domain, names and known machines', () => {
    const { bindings } = planClusters([bare], vlan, world({}, foo), undefined)
    expect(bindings).toMatchObject([
      { domain: 'foo.example.com', controlPlaneNamespace: 'clusters-foo', knowsItsMachines: true },
    ])
    const { proxy, dhcp } = components([bare], undefined, world({}, foo))
    expect(proxy?.spec.backends.map(({ name, hostname, port }) => `${name} ${hostname}:${port}`)).toEqual([
      'kube-apiserver api.foo.example.com:6443',
      'kube-apiserver-kubernetes-hostname kubernetes:6443',
      'oauth-openshift oauth.foo.example.com:443',
      'ignition-server ignition.foo.example.com:443',
      'konnectivity-server konnectivity.foo.example.com:443',
    ])
    expect(dhcp?.spec.clientPolicy).toBe('Known')
    expect(reasons(bare, world({}, foo))).toEqual([])
  })

  test('that is not there, or of a kind that is not installed, is said', () => {
    expect(reasons(bare, world())).toEqual(['HostedClusterMissing'])
    expect(reasons(bare, world({ knowsHostedClusters: false }, foo))).toEqual(['HyperShiftMissing'])
    expect(planClusters([bare], vlan, world(), undefined).bindings).toEqual([])
    expect(planClusters([attachment('foo')], vlan, world(), undefined).bindings).toHaveLength(1)
  })

  test('whose control plane is not made yet is named already, and led to by nobody', () => {
    const nobody = { ...world().consent, hostedClustersOf: () => [] }
    const { bound } = planClusters([bare], vlan, world({ consent: nobody }, foo), undefined)
    expect(bound[0]).toMatchObject({ awaitsControlPlane: true, problems: [] })
    expect(reasons(bare, world({ consent: nobody }, foo))).toEqual(['ControlPlanePending'])
  })

  test('whose control plane belongs to another is not bound, however well the name fits', () => {
    const others = { ...world().consent, hostedClustersOf: () => ['victim/c'] }
    const { bound } = planClusters([bare], vlan, world({ consent: others }, foo), undefined)
    expect(bound[0]).toMatchObject({ binding: undefined, problems: [{ reason: 'TargetNotPermitted' }] })
  })

  test('of another namespace is not even looked at without consent', () => {
    const foreign = attachment('foo', { dns: undefined, hostedClusterRef: { name: 'foo', namespace: 'victim' } })
    const seen: string[] = []
    const at = world({ hostedCluster: ({ namespace }) => void seen.push(namespace) })
    const { bound } = planClusters([foreign], vlan, at, undefined)
    expect(bound[0]?.problems[0]).toMatchObject({
      reason: 'TargetNotPermitted',
      field: 'spec.hostedClusterRef.namespace',
    })
    expect(seen).toEqual([])
  })

  test('that says another domain than the attachment is said', () => {
    expect(
      reasons(attachment('foo', { dns: { clusterName: 'x', baseDomain: 'example.com' } }), world({}, foo)),
    ).toEqual(['DomainMismatch'])
  })

  test('whose Route vanishes goes on being led to', () => {
    const chosen = { 'clusters/foo': hostedCluster([recommended[0], route(), ...recommended.slice(2)]) }
    const withRoute = world(
      {
        controlPlane: () => ({
          ...nothingYet,
          routeHost: (name: string) => (name === 'oauth' ? 'oauth.apps.example.com' : undefined),
        }),
      },
      chosen,
    )
    const before = components([bare], undefined, withRoute).proxy
    const after = components([bare], before, world({}, chosen)).proxy
    expect(after?.spec.backends.find(({ name }) => name === 'oauth-openshift')).toEqual(
      before?.spec.backends.find(({ name }) => name === 'oauth-openshift'),
    )
  })
})

test('an address of the ingress that was found counts only inside the VLAN', () => {
  const claim = attachment('c1', { appsIngress: { enabled: true, metallb: { addressPoolName: 'p' } } })
  const apps = (externalIP: string) =>
    planClusters([{ ...claim, appsStatus: { phase: 'Ready', externalIP } }], vlan, world(), undefined).bindings[0]?.apps
  expect(apps('192.168.100.240')).toMatchObject({ address: '192.168.100.240', domain: 'apps.c1.example.com' })
  expect(apps('10.0.0.1')).toBeUndefined()
})

describe('where clusters are attached and none is served', () => {
  const told = (claims: readonly Claim[], at = world()) => noneServed(planClusters(claims, vlan, at, undefined))

  test('the Infra says of each what stands in its way, and not that its own fields lack something', () => {
    const closed = { ...world().consent, hostedClustersOf: () => [] }
    const [first, second] = told([attachment('a'), attachment('b')], world({ consent: closed }))
    expect([first?.reason, first?.field]).toEqual(['TargetNotPermitted', 'attachment a, spec.controlPlaneNamespace'])
    expect(second?.field).toBe('attachment b, spec.controlPlaneNamespace')
  })

  test('a cluster whose domain is not known yet is named', () => {
    const [problem] = told([attachment('a', { dns: undefined })])
    expect(problem).toMatchObject({ reason: 'HostedClusterMissing', field: 'attachment a' })
    expect(problem?.message).toContain('HostedCluster clusters/a tells no domain')
  })

  test('conflicts are told by themselves', () => {
    const same = { hostedClusterRef: { name: 'a' } }
    expect(told([attachment('a', same), attachment('b', same)])).toEqual([])
  })

  test('what cannot even be read is pointed to', () => {
    expect(told([])).toMatchObject([{ message: expect.stringContaining('the status of each attachment') }])
  })
})
