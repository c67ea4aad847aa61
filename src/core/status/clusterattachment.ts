import type { Infra } from '../../api/infra.ts'
import type { InfraClusterAttachment } from '../../api/infraclusterattachment.ts'
import type { Bound } from '../plan/bind.ts'
import type { Problem } from '../result.ts'
import { appsStatement } from './apps.ts'
import { acceptedStatement } from './component.ts'
import { discoveredStatement } from './discovery.ts'
import { type Children, componentParts } from './infra.ts'
import { type Statement, statementsAbout } from './statement.ts'

/** What was observed of a cluster that is attached to a VLAN. */
export interface AttachmentObservation {
  readonly generation: number
  /** Of its own fields, and what it wants that others want too. */
  readonly problems: readonly Problem[]
  readonly warnings: readonly string[]
  readonly spec: InfraClusterAttachment['spec'] | undefined
  readonly infra: { readonly name: string; readonly spec: Infra['spec'] | undefined } | undefined
  readonly bound: Bound | undefined
  readonly children: Children
  /** The proxy has been asked to lead to this cluster. */
  readonly isRouted: boolean
}

/** As those of an Infra, for one of its clusters. */
export function attachmentStatements(observed: AttachmentObservation): Statement[] {
  const { generation, problems, warnings, spec, infra, bound, children, isRouted } = observed
  const { isUnknown } = statementsAbout(generation)
  const all = [...problems, ...(bound?.problems ?? [])]
  const components = componentParts(generation, infra?.spec, children)
    .filter(({ type }) => type !== 'DHCPReady')
    .map((part) =>
      part.type === 'ProxyReady' && part.status === 'True' && !isRouted
        ? isUnknown('ProxyReady', 'ComponentPending', 'the proxy does not lead to this cluster yet')
        : part,
    )
  const apps = spec?.appsIngress?.enabled && bound
  return [
    acceptedStatement(generation, all, warnings),
    ...(bound?.findings ? [discoveredStatement(generation, bound.findings)] : []),
    ...components,
    ...(apps ? [appsStatement(generation, spec.appsIngress, bound.claim.appsStatus, true, components)] : []),
  ]
}
