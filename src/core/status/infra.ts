import type { Infra } from '../../api/infra.ts'
import type { Problem } from '../result.ts'
import { acceptedStatement } from './component.ts'
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

export interface InfraObservation {
  readonly generation: number
  readonly problems: readonly Problem[]
  readonly warnings: readonly string[]
  /** Undefined when even the fields could not be read. */
  readonly spec: Infra['spec'] | undefined
  readonly dhcp: ChildView | undefined
  readonly dns: ChildView | undefined
  readonly proxy: ChildView | undefined
}

/** Of the components that are switched on, and of the way to the applications where it is asked for. */
export function infraStatements(observed: InfraObservation): Statement[] {
  const { generation, problems, warnings, spec } = observed
  const { dhcp, dns, proxy } = spec?.infraComponents ?? {}
  const components = [
    ...(dhcp?.enabled ? [childStatement('DHCPReady', generation, observed.dhcp)] : []),
    ...(dns?.enabled ? [childStatement('DNSReady', generation, observed.dns)] : []),
    ...(proxy?.enabled ? [childStatement('ProxyReady', generation, observed.proxy)] : []),
  ]
  const apps = spec?.appsIngress?.enabled ? [appsStatement(observed, components)] : []
  return [acceptedStatement(generation, problems, warnings), ...components, ...apps]
}

/** A Ready about an older generation says nothing about what is asked for now. */
function childStatement(type: string, generation: number, child: ChildView | undefined): Statement {
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

function appsStatement({ generation, spec }: InfraObservation, components: readonly Statement[]): Statement {
  const { holds, fails, isUnknown } = statementsAbout(generation)
  const type = 'AppsIngressReady'
  const address = spec?.appsIngress?.address
  if (address === undefined) {
    return fails(type, 'NotYetSupported', 'the hosted cluster is not asked yet: give appsIngress.address')
  }
  const culprit = components.find(({ type: part, status }) => part !== 'DHCPReady' && status !== 'True')
  if (culprit) return isUnknown(type, culprit.reason, `${culprit.type}: ${culprit.message}`)
  return holds(type, 'AddressGiven', `the names lead to ${address}; whether somebody answers there is not asked`)
}
