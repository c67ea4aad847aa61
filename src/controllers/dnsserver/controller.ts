import type { DNSServer } from '../../api/dnsserver.ts'
import { kinds } from '../../api/kinds.ts'
import { componentLabel, dnsRole, proxyRole } from '../../core/render/object.ts'
import { renderDnsServer } from '../../core/render/render.ts'
import { vmRecords } from '../../core/resolve/vmrecords.ts'
import { dnsTroubles, fatalDnsTroubles } from '../../core/status/dns.ts'
import { engineVerdict } from '../../core/status/engine.ts'
import type { Controller } from '../../runtime/controller/controller.ts'
import type { KubeObject } from '../../runtime/kube/object.ts'
import { Coalesced } from '../shared/coalesced.ts'
import { componentController } from '../shared/component.ts'
import type { Belonging, Findings } from '../shared/component-kind.ts'
import { dnsServerKind } from '../shared/kinds.ts'
import type { Operator } from '../shared/operator.ts'
import { clusterAddresses, proxyServiceOf } from '../shared/service.ts'
import { onSpecChange } from '../shared/spec-change.ts'
import { followPublished, publishedPaths } from './paths.ts'

const mostRecords = 4096

/** DNSServer: its pod, where the pod network finds the proxy, and the names of machines that have an address. */
export function dnsServerController(operator: Operator): Controller {
  const { caches, clock } = operator
  const controller = componentController(operator, {
    name: 'DNSServer',
    definition: kinds.DNSServer,
    kind: dnsServerKind,
    role: dnsRole,
    informer: caches.dnsServers,
    render: renderDnsServer,
    find: (server, belonging, objects, conditions) => ({
      ...find(operator, server, belonging, objects),
      ...engineVerdict(server.metadata.generation ?? 0, conditions, dnsTroubles, fatalDnsTroubles),
    }),
  })
  controller.watch(caches.services, ({ metadata: { namespace, labels } }) => {
    const proxy = labels?.app === proxyRole.app ? labels[componentLabel] : undefined
    return proxy?.endsWith('-proxy') ? [`${namespace}/${proxy.replace(/-proxy$/, '-dns')}`] : []
  })
  const leaseChanges = new Coalesced(clock, (key) => controller.trigger(key))
  caches.leases.onChange(({ object: { metadata, spec } }) => {
    if (spec?.server.endsWith('-dhcp'))
      leaseChanges.ask(`${metadata.namespace}/${spec.server.replace(/-dhcp$/, '-dns')}`)
  })
  followPublished(operator, controller)
  onSpecChange(caches.infras, ({ metadata }) => controller.trigger(`${metadata.namespace}/${metadata.name}-dns`))
  return controller
}

/** Its brothers are those of the same Infra; a server made by hand has none. */
function find(
  operator: Operator,
  server: DNSServer,
  { infra, bindings }: Belonging,
  objects: readonly KubeObject[],
): Findings {
  const { caches } = operator
  const { name, namespace } = server.metadata
  const own = caches.services.objects.get(`${namespace}/${name}`)
  const service = objects.find((object) => object.kind === 'Service') ?? own
  const [serviceClusterIP] = clusterAddresses(service)
  const proxy = infra && proxyServiceOf(caches, infra.metadata)
  const leases = infra ? caches.leases.objects.byIndex('byServer', `${namespace}/${infra.metadata.name}-dhcp`) : []
  const domains = new Map(bindings.map(({ controlPlaneNamespace, domain }) => [controlPlaneNamespace, domain]))
  const domainOf = (cluster: string | undefined): string =>
    domains.get(cluster ?? '') ?? server.spec.hostedClusterDomain
  const records = vmRecords(
    leases.flatMap(({ spec }) => spec ?? []),
    domainOf,
  )
    .toSorted((one, other) => (one.hostname < other.hostname ? -1 : 1))
    .map(({ hostname, addresses }) => ({ hostname, addresses: addresses.toSorted().slice(0, 16) }))
  const fields = {
    deploymentName: name,
    serviceName: name,
    ...(serviceClusterIP === undefined ? {} : { serviceClusterIP }),
    resolved: {
      internalProxyIPs: clusterAddresses(proxy),
      records: records.slice(0, mostRecords),
      paths: publishedPaths(operator, infra),
    },
  }
  return { fields, statements: [] }
}
