import type { DHCPServer } from '../../api/dhcpserver.ts'
import { kinds } from '../../api/kinds.ts'
import { knownClients, mostClients } from '../../core/plan/clients.ts'
import { mayUseNamespace, namespaceNotPermitted } from '../../core/plan/consent.ts'
import { dhcpRole } from '../../core/render/object.ts'
import { renderDhcpServer } from '../../core/render/render.ts'
import { dhcpVerdict } from '../../core/status/dhcp.ts'
import { type Statement, statementsAbout } from '../../core/status/statement.ts'
import type { Controller } from '../../runtime/controller/controller.ts'
import { type Key, keyOf } from '../../runtime/kube/object.ts'
import { infrasBoundTo } from '../shared/clusters.ts'
import { Coalesced } from '../shared/coalesced.ts'
import { componentController } from '../shared/component.ts'
import type { Belonging, Findings } from '../shared/component-kind.ts'
import { triggerAll } from '../shared/component-watches.ts'
import { dhcpServerKind } from '../shared/kinds.ts'
import { consentOf, type Operator } from '../shared/operator.ts'
import { infraOfAttachment } from '../shared/read.ts'
import { onSpecChange } from '../shared/spec-change.ts'
import { DhcpReports } from './reports.ts'

/** DHCPServer: its pod, and the machines it should know. */
export function dhcpServerController(operator: Operator): Controller {
  const { caches, clock } = operator
  const reports = new DhcpReports(operator)
  const controller = componentController(operator, {
    name: 'DHCPServer',
    definition: kinds.DHCPServer,
    kind: dhcpServerKind,
    role: dhcpRole,
    informer: caches.dhcpServers,
    render: renderDhcpServer,
    isKept: ({ spec }, object) => object.kind === 'PersistentVolumeClaim' && spec.persistentVolume?.keep !== false,
    find: (server, belonging, _objects, conditions) => ({
      ...findClients(operator, server, belonging),
      ...dhcpVerdict(server.metadata.generation ?? 0, conditions),
    }),
    tell: (live) => reports.tell(live),
  })
  caches.dhcpServers.onChange(({ type, object }) => {
    if (type === 'deleted') reports.forget(object)
  })
  const serverOf = (infra: Key): Key => `${infra}-dhcp`
  const keysOf = (namespace: string | undefined): Key[] => infrasBoundTo(caches, namespace).map(serverOf)
  const machineChanges = new Coalesced(clock, (key) => controller.trigger(key))
  caches.machines.onChange(({ object }) => {
    for (const key of keysOf(object.metadata.namespace)) machineChanges.ask(key)
  })
  caches.launchers.onChange(({ object }) => {
    for (const key of keysOf(object.metadata.namespace)) machineChanges.ask(key)
  })
  caches.machines.onInstalled(() => triggerAll(controller, caches.dhcpServers))
  controller.watch(caches.namespaces, ({ metadata }) => keysOf(metadata.name))
  controller.watch(caches.hostedControlPlanes, ({ metadata }) => keysOf(metadata.namespace))
  onSpecChange(caches.infras, ({ metadata }) => controller.trigger(serverOf(keyOf(metadata))))
  controller.watch(caches.clusterAttachments, (object) => infraOfAttachment(object).map(serverOf))
  return controller
}

/** The machines of the clusters that the Infra is bound to, as far as it may look at them. */
function findClients(operator: Operator, { metadata }: DHCPServer, { infra, bindings, awaited }: Belonging): Findings {
  const { caches } = operator
  const { name, namespace = '', generation = 0 } = metadata
  const consent = consentOf(operator)
  const namespaces = bindings.map(({ controlPlaneNamespace }) => controlPlaneNamespace)
  const [permitted, refused] = partition(namespaces, (target) => mayUseNamespace(namespace, target, consent))
  const machines = permitted.flatMap((target) => caches.machines.objects.byIndex('byNamespace', target))
  const launchers = permitted.flatMap((target) => caches.launchers.objects.byIndex('byNamespace', target))
  const clients = knownClients(machines, launchers)
  const { holds, fails, isUnknown } = statementsAbout(generation)
  const say = (): Statement => {
    const type = 'ClientsResolved'
    if (!infra) return isUnknown(type, 'MachinesUnknown', `${name} belongs to no Infra`)
    if (caches.machines.installed === false)
      return fails(type, 'KubeVirtMissing', 'VirtualMachineInstances are not installed')
    const [target] = refused
    if (target === undefined) {
      if (clients.length <= mostClients) return holds(type, 'Resolved', '')
      return fails(type, 'TooManyMachines', `${clients.length} network cards, of which ${mostClients} are known here`)
    }
    if (awaited.includes(target)) return isUnknown(type, 'ControlPlanePending', `nothing runs in ${target} yet`)
    return fails(
      type,
      'TargetNotPermitted',
      namespaceNotPermitted(namespace, target, '', consent.annotationOf(target)).message,
    )
  }
  return { fields: { resolved: { clients: clients.slice(0, mostClients) } }, statements: [say()] }
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))]
}
