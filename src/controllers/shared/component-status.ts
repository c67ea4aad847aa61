import { serverAddressesOf } from '../../api/network.ts'
import { attachmentOf } from '../../core/render/render.ts'
import type { Problem } from '../../core/result.ts'
import { componentStatements } from '../../core/status/component.ts'
import { whyNotApplied } from '../../core/status/engine.ts'
import type { Statement } from '../../core/status/statement.ts'
import { type Statement as Said, summary } from '../../runtime/conditions/conditions.ts'
import { type KubeObject, keyOf } from '../../runtime/kube/object.ts'
import type { Belonging, Component, ComponentKind, Findings } from './component-kind.ts'
import type { OwnObject } from './kinds.ts'
import { conflictAt, neighboursOf } from './neighbours.ts'
import type { Operator } from './operator.ts'

/** A component, what it asks for, and what is known of it by now. */
export interface Examined<Resource extends Component> {
  readonly live: OwnObject
  readonly resource: Resource | undefined
  readonly belonging: Belonging
  readonly problems: readonly Problem[]
  readonly warnings: readonly string[]
  /** The objects of its pod that are there, as they are. */
  readonly objects: readonly KubeObject[]
}

/** What is said of a component: its conditions, and the other fields of its status that the manager writes. */
export function componentStatus<Resource extends Component>(
  operator: Operator,
  part: ComponentKind<Resource>,
  examined: Examined<Resource>,
): { readonly statements: readonly Said[]; readonly fields: object } {
  const { live, resource, belonging, objects } = examined
  const findings = resource && part.find(resource, belonging, objects, live.status?.conditions ?? [])
  const observed = observe(operator, part, examined)
  return {
    statements: [readiness(operator, examined, observed, findings), ...observed, ...(findings?.statements ?? [])],
    fields: withNeighbours(findings?.fields ?? {}, neighboursOf(operator, live, belonging.infra?.metadata.name)),
  }
}

/** Ready is what everything needed is; and beside it stands what a person should know nevertheless. */
function readiness<Resource extends Component>(
  operator: Operator,
  { live, resource, belonging }: Examined<Resource>,
  observed: readonly Statement[],
  findings: Findings | undefined,
): Said {
  const { generation = 0 } = live.metadata
  const [address] = serverAddressesOf(resource?.spec.networkConfig ?? {})
  const conflict = conflictAt(operator, live, belonging.infra?.metadata.name, address)
  const message = [findings?.remark, conflict].filter(Boolean).join('; ')
  const needed = [...observed, ...(findings?.needed ? [findings.needed] : [])]
  return summary('Ready', needed, { reason: 'Ready', message, observedGeneration: generation })
}

/** Every kind is told of the components beside it, among what else was found out for it. */
function withNeighbours(fields: object, neighbours: readonly object[]): object {
  const resolved = 'resolved' in fields && typeof fields.resolved === 'object' ? fields.resolved : undefined
  return { ...fields, ...(resolved ? { resolved: { ...resolved, neighbours } } : {}) }
}

function observe<Resource extends Component>(
  { caches }: Operator,
  { role, name: kindName }: Pick<ComponentKind<Resource>, 'role' | 'name'>,
  { live, resource, belonging: { infra }, problems, warnings, objects }: Examined<Resource>,
): Statement[] {
  const { name, namespace = '', generation = 0 } = live.metadata
  const network = resource?.spec.networkConfig ?? {}
  const attachment = attachmentOf({ name, namespace }, network)
  const written = infra?.spec.networkConfig.attachment
  const known = objects.find((object) => object.kind === 'Deployment')
  return componentStatements({
    generation,
    problems,
    warnings,
    attachment: {
      ...attachment,
      address: serverAddressesOf(network)[0] ?? '',
      isKindInstalled: caches.attachments.installed !== false,
      found: caches.attachments.objects.get(keyOf(attachment)),
      isInDefault: caches.attachments.objects.get(`default/${attachment.name}`) !== undefined,
      maker: written?.kind === 'ClusterUserDefinedNetwork' ? `${written.kind} ${written.name}` : undefined,
    },
    namespace,
    forDhcp: kindName === 'DHCPServer',
    // What was just applied has the generation; what the Deployment controller says of it comes with the cache.
    deployment: known ?? caches.deployments.objects.get(keyOf(live.metadata)),
    pods: caches.pods.objects.byIndex('byComponent', `${role.app}/${namespace}/${name}`),
    servingGeneration: live.status?.servingGeneration,
    whyNotApplied: whyNotApplied(live.status?.conditions),
  })
}
