import { kinds } from '../../api/kinds.ts'
import type { Bound } from '../../core/plan/bind.ts'
import type { Problem } from '../../core/result.ts'
import { attachmentStatements } from '../../core/status/clusterattachment.ts'
import { type Statement, summary } from '../../runtime/conditions/conditions.ts'
import type { Key } from '../../runtime/kube/object.ts'
import type { Caches } from '../shared/caches.ts'
import { childrenOf, clustersOf, servedProxy } from '../shared/clusters.ts'
import type { OwnObject } from '../shared/kinds.ts'
import type { Operator } from '../shared/operator.ts'
import { infraOfAttachment, readInfra, understand } from '../shared/read.ts'

type Attached = ReturnType<typeof lookAt>

/** What the attachment asks for, the Infra it names, and what that makes of it. */
export function lookAt(operator: Operator, live: OwnObject) {
  const { resource, problems, warnings } = understand('InfraClusterAttachment', kinds.InfraClusterAttachment, live)
  const { name } = live.metadata
  const [infraKey = ''] = infraOfAttachment(live)
  const infra = operator.caches.infras.objects.get(infraKey)
  const clusters = infra && clustersOf(operator, infra)
  const conflicts = clusters?.conflicts.filter(({ attachments }) => attachments.includes(name)) ?? []
  return {
    resource,
    problems: [...problems, ...(infra ? [] : [noInfra(infraKey)]), ...conflicts],
    warnings,
    infra,
    bound: clusters?.bound.find(({ claim }) => claim.attachment === name),
  }
}

function noInfra(key: Key): Problem {
  return { reason: 'InfraMissing', field: 'spec.infraRef.name', message: `there is no Infra ${key}` }
}

/** What is said of an attachment: its conditions, and the other fields of its status. */
export function attachmentStatus(
  caches: Caches,
  live: OwnObject,
  { resource, problems, warnings, infra, bound }: Attached,
): { readonly statements: readonly Statement[]; readonly fields: object } {
  const { generation = 0 } = live.metadata
  const parts = attachmentStatements({
    generation,
    problems,
    warnings,
    spec: resource?.spec,
    infra: infra && { name: infra.metadata.name, spec: readInfra(infra).resource?.spec },
    bound,
    children: infra ? childrenOf(caches, infra) : { dhcp: undefined, dns: undefined, proxy: undefined },
    isRouted: infra !== undefined && isRouted(caches, infra, bound),
  })
  const ready = summary('Ready', parts, { reason: 'Ready', message: '', observedGeneration: generation })
  const namespace = bound?.claim.controlPlaneNamespace
  const fields = {
    ...(bound?.binding ? { domain: bound.binding.domain } : {}),
    ...(namespace === undefined ? {} : { controlPlaneNamespace: namespace }),
  }
  return { statements: [ready, ...parts], fields }
}

/** Whether the proxy of the Infra leads to the control plane of this cluster. */
function isRouted(caches: Caches, infra: OwnObject, bound: Bound | undefined): boolean {
  const backends = servedProxy(caches, infra)?.spec.backends ?? []
  return backends.some(
    ({ targetNamespace }) => targetNamespace && targetNamespace === bound?.claim.controlPlaneNamespace,
  )
}
