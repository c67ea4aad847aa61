import type { Infra } from '../../api/infra.ts'
import { type Statement, statementsAbout } from './statement.ts'

type Spec = Infra['spec']['appsIngress']
type Status = NonNullable<Infra['status']>['appsIngressStatus']

const type = 'AppsIngressReady'

/** Whether applications are reached: their address is known, and the components that lead to it serve. */
export function appsStatement(
  generation: number,
  spec: Spec,
  status: Status,
  hasHostedCluster: boolean,
  components: readonly Statement[],
): Statement {
  const { holds, fails, isUnknown } = statementsAbout(generation)
  const address = spec?.address ?? status?.externalIP
  if (spec?.address === undefined) {
    if (!hasHostedCluster) {
      const message = 'whose applications these are is not known: give hostedClusterRef, or the address itself'
      return fails(type, 'HostedClusterMissing', message)
    }
    if (status?.phase === undefined) return isUnknown(type, 'ComponentPending', 'the hosted cluster was not asked yet')
    if (status.phase !== 'Ready' || address === undefined) {
      // It is one of ours, written by the controller of the apps ingress.
      const reason = (status.reason ?? 'ComponentPending') as Statement['reason']
      return fails(type, reason, status.message ?? `the way to the applications is ${status.phase}`)
    }
  }
  const culprit = components.find(({ type: part, status: is }) => part !== 'DHCPReady' && is !== 'True')
  if (culprit) return isUnknown(type, culprit.reason, `${culprit.type}: ${culprit.message}`)
  if (spec?.address === undefined) return holds(type, 'Ready', `the names lead to ${address}`)
  return holds(type, 'AddressGiven', `the names lead to ${address}; whether somebody answers there is not asked`)
}
