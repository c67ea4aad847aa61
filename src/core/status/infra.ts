import type { Infra } from '../../api/infra.ts'
import type { Finding } from '../discover/checks.ts'
import type { Problem } from '../result.ts'
import { appsStatement } from './apps.ts'
import { acceptedStatement } from './component.ts'
import { discoveredStatement } from './discovery.ts'
import { type Statement, statementsAbout } from './statement.ts'

/** A component as its Infra sees it: which generation was asked for, and what it says of that. */
export interface ChildView {
  readonly metadata: { readonly name: string; readonly generation?: number }
  readonly status?:
    | {
        readonly conditions?:
          | readonly {
              readonly type: string
              readonly status: 'True' | 'False' | 'Unknown'
              readonly reason: string
              readonly message: string
              readonly observedGeneration?: number | undefined
            }[]
          | undefined
      }
    | undefined
}

export interface Children {
  readonly dhcp: ChildView | undefined
  readonly dns: ChildView | undefined
  readonly proxy: ChildView | undefined
}

/** The hosted cluster that the Infra's own fields ask for. */
export interface OwnCluster {
  /** Of its HostedCluster; undefined if none is named. */
  readonly findings: readonly Finding[] | undefined
  readonly appsStatus: NonNullable<Infra['status']>['appsIngressStatus']
}

export interface InfraObservation extends Children {
  readonly generation: number
  readonly problems: readonly Problem[]
  readonly warnings: readonly string[]
  /** Undefined when even the fields could not be read. */
  readonly spec: Infra['spec'] | undefined
  /** Undefined where it is not served because clusters are attached: each attachment speaks for itself. */
  readonly ownCluster: OwnCluster | undefined
}

/** Of the components that are switched on, and of the way to the applications where it is asked for. */
export function infraStatements(observed: InfraObservation): Statement[] {
  const { generation, problems, warnings, spec, ownCluster } = observed
  const components = componentParts(generation, spec, observed)
  const findings = ownCluster?.findings
  const apps = ownCluster && spec?.appsIngress?.enabled
  return [
    acceptedStatement(generation, problems, warnings),
    ...(findings ? [discoveredStatement(generation, findings)] : []),
    ...components,
    ...(apps
      ? [appsStatement(generation, spec.appsIngress, ownCluster.appsStatus, findings !== undefined, components)]
      : []),
  ]
}

/** What each component that shall run says of itself. */
export function componentParts(generation: number, spec: Infra['spec'] | undefined, children: Children): Statement[] {
  const { dhcp, dns, proxy } = spec?.infraComponents ?? {}
  return [
    ...(dhcp?.enabled ? [childStatement('DHCPReady', generation, children.dhcp)] : []),
    ...(dns?.enabled ? [childStatement('DNSReady', generation, children.dns)] : []),
    ...(proxy?.enabled ? [childStatement('ProxyReady', generation, children.proxy)] : []),
  ]
}

/** A Ready about an older generation says nothing about what is asked for now. */
function childStatement(type: Statement['type'], generation: number, child: ChildView | undefined): Statement {
  const { isUnknown } = statementsAbout(generation)
  const ready = child?.status?.conditions?.find((condition) => condition.type === 'Ready')
  if (!child) return isUnknown(type, 'ComponentPending', 'it is not there yet')
  if (!ready || ready.observedGeneration !== child.metadata.generation) {
    return isUnknown(type, 'ComponentPending', `${child.metadata.name} was not looked at yet`)
  }
  // It is one of ours, written by the controller of the component.
  const reason = ready.reason as Statement['reason']
  return { type, status: ready.status, reason, message: ready.message, observedGeneration: generation }
}
