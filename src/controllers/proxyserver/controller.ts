import { dhcpServerSchema } from '../../api/dhcpserver.ts'
import { kinds } from '../../api/kinds.ts'
import type { ProxyServer } from '../../api/proxyserver.ts'
import { isMapping } from '../../api/shape.ts'
import { parseCidr } from '../../core/net/cidr.ts'
import { addressesOf, type KnownClient } from '../../core/plan/clients.ts'
import { backendProblems } from '../../core/plan/consent.ts'
import { type ResolvedTarget, resolveBackend } from '../../core/plan/targets.ts'
import { ownPortProblems } from '../../core/proxy/own-ports.ts'
import { proxyRole } from '../../core/render/object.ts'
import { renderProxyServer } from '../../core/render/render.ts'
import type { Problem } from '../../core/result.ts'
import { proxyVerdict } from '../../core/status/proxy.ts'
import { statementsAbout } from '../../core/status/statement.ts'
import type { Controller } from '../../runtime/controller/controller.ts'
import { type Key, type KubeObject, keyOf } from '../../runtime/kube/object.ts'
import { serviceOfSlice } from '../shared/caches.ts'
import { Coalesced } from '../shared/coalesced.ts'
import { componentController } from '../shared/component.ts'
import type { Belonging, Findings } from '../shared/component-kind.ts'
import { type OwnObject, proxyServerKind } from '../shared/kinds.ts'
import { consentOf, type Operator } from '../shared/operator.ts'
import { clusterAddresses } from '../shared/service.ts'
import { onSpecChange } from '../shared/spec-change.ts'
import { targetWorld } from '../shared/targets.ts'

/** ProxyServer: its pod, and where the Services really are that it leads to, as far as it may lead there. */
export function proxyServerController(operator: Operator): Controller {
  const { caches } = operator
  const controller = componentController(operator, {
    name: 'ProxyServer',
    definition: kinds.ProxyServer,
    kind: proxyServerKind,
    role: proxyRole,
    informer: caches.proxyServers,
    render: renderProxyServer,
    judge: (server, belonging) => [
      ...distinct(server.spec.backends.flatMap((_, index) => denials(operator, server, index, belonging))),
      ...ownPortProblems(server),
    ],
    find: (server, belonging, objects, conditions) => {
      const found = find(operator, server, belonging, objects)
      const { needed, remark } = proxyVerdict(server.metadata.generation ?? 0, conditions)
      const remarks = [found.remark, remark].filter(Boolean).join('; ')
      return { ...found, needed: found.needed ?? needed, remark: remarks || undefined }
    },
  })
  const inIndex = (index: string, value: string): string[] =>
    caches.proxyServers.objects.byIndex(index, value).map(({ metadata }) => keyOf(metadata))
  controller.watch(caches.services, ({ metadata }) => inIndex('byTarget', keyOf(metadata)))
  controller.watch(caches.endpointSlices, (slice) => inIndex('byTarget', serviceOfSlice(slice)))
  controller.watch(caches.namespaces, ({ metadata }) => inIndex('byTargetNamespace', metadata.name))
  controller.watch(caches.hostedControlPlanes, ({ metadata }) => inIndex('byTargetNamespace', metadata.namespace ?? ''))
  const clientChanges = new Coalesced(operator.clock, (key) => controller.trigger(key))
  const clientsChanged = (dhcp: Key): void => {
    const proxy = dhcp.replace(/-dhcp$/, '-proxy')
    if (dhcp.endsWith('-dhcp') && tellsClientsApart(caches.proxyServers.objects.get(proxy))) clientChanges.ask(proxy)
  }
  caches.leases.onChange(({ object: { metadata, spec } }) => clientsChanged(`${metadata.namespace}/${spec?.server}`))
  caches.dhcpServers.onChange(({ object }) => clientsChanged(keyOf(object.metadata)))
  onSpecChange(caches.infras, ({ metadata }) => controller.trigger(`${metadata.namespace}/${metadata.name}-proxy`))
  return controller
}

/** Most proxies are for one cluster, and whose the clients are is all the same to them. */
function tellsClientsApart(proxy: OwnObject | undefined): boolean {
  const backends: unknown = isMapping(proxy?.spec) ? proxy.spec.backends : undefined
  return Array.isArray(backends) && backends.some((backend) => isMapping(backend) && 'clientCluster' in backend)
}

function denials(operator: Operator, server: ProxyServer, index: number, { infra, awaited }: Belonging): Problem[] {
  const backend = server.spec.backends[index]
  const vlan = infra && parseCidr(infra.spec.networkConfig.cidr)
  const { namespace = '' } = server.metadata
  if (!backend) return []
  const problems = backendProblems(namespace, backend, `spec.backends[${index}]`, consentOf(operator), vlan)
  const { targetNamespace } = backend
  if (problems.length === 0 || !targetNamespace || !awaited.includes(targetNamespace)) return problems
  return [{ reason: 'ControlPlanePending', message: `the control plane in ${targetNamespace} is not there yet` }]
}

/** Who of the clients belongs to the cluster of a backend that is not for everybody. */
function withClients(
  { caches }: Operator,
  { spec, metadata }: ProxyServer,
  { infra }: Belonging,
  target: ResolvedTarget,
): ResolvedTarget {
  const cluster = spec.backends.find(({ name }) => name === target.backend.name)?.clientCluster
  if (cluster === undefined) return target
  const dhcp = infra && `${metadata.namespace}/${infra.metadata.name}-dhcp`
  const leases = dhcp ? caches.leases.objects.byIndex('byServer', dhcp).flatMap(({ spec: lease }) => lease ?? []) : []
  const known = resolvedClients(dhcp ? caches.dhcpServers.objects.get(dhcp) : undefined)
  return { ...target, backend: { ...target.backend, clients: addressesOf(cluster, leases, known) } }
}

function resolvedClients(server: OwnObject | undefined): readonly KnownClient[] {
  const parsed = dhcpServerSchema.shape.status.safeParse({ resolved: server?.status?.resolved })
  return (parsed.success && parsed.data?.resolved?.clients) || []
}

/** Seven backends of one control plane are one thing to permit. */
function distinct(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [problem.message, problem] as const).toReversed()).values()].toReversed()
}

function find(operator: Operator, server: ProxyServer, belonging: Belonging, objects: readonly KubeObject[]): Findings {
  const { name, namespace, generation = 0 } = server.metadata
  const { backends } = server.spec
  const permitted = backends.filter((_, index) => denials(operator, server, index, belonging).length === 0)
  const world = targetWorld(operator.caches)
  const resolved = permitted.map((backend) => withClients(operator, server, belonging, resolveBackend(backend, world)))
  const missing = resolved.flatMap((target) =>
    target.missing === undefined ? [] : [`${target.backend.name}: ${target.missing}`],
  )
  const known = permitted.length - missing.length
  const { holds, fails } = statementsAbout(generation)
  const statement =
    missing.length === 0
      ? holds('TargetsResolved', 'Resolved', '')
      : fails('TargetsResolved', 'TargetUnresolved', missing.join('; '))
  const service =
    objects.find((object) => object.kind === 'Service') ?? operator.caches.services.objects.get(`${namespace}/${name}`)
  const [serviceIP] = clusterAddresses(service)
  return {
    fields: {
      deploymentName: name,
      serviceName: name,
      ...(serviceIP === undefined ? {} : { serviceIP }),
      backendCount: known,
      resolved: { backends: resolved.map((target) => target.backend) },
    },
    statements: [statement],
    // Some services of a control plane come late or not at all; without any the proxy is of no use.
    needed: known === 0 ? statement : undefined,
    remark: missing.length === 0 ? undefined : `without ${missing.join('; ')}`,
  }
}
