import type { Problem } from '../result.ts'
import { type AttachmentView, attachmentProblem } from './attachment.ts'
import { attachedAddresses, type PodView, whyNotRunning } from './pods.ts'
import { type Statement, statementsAbout } from './statement.ts'

/** What was observed of a component; nothing in here is what we wish. */
export interface ComponentObservation {
  readonly generation: number
  readonly problems: readonly Problem[]
  /** What is accepted, but not as it was written. */
  readonly warnings: readonly string[]
  readonly attachment: {
    readonly name: string
    readonly namespace: string
    /** Without /length. */
    readonly address: string
    /** Undefined where the kind itself is not installed. */
    readonly isKindInstalled: boolean
    readonly found: AttachmentView | undefined
    /** There is one of this name in the namespace `default`, which all pods may use. */
    readonly isInDefault?: boolean
    /** What makes the definition, where a person does not. */
    readonly maker?: string | undefined
  }
  readonly namespace: string
  readonly forDhcp: boolean
  readonly deployment: DeploymentView | undefined
  readonly pods: readonly PodView[]
  readonly servingGeneration: number | undefined
  /** In the engine's words, why it does not serve the newest version. */
  readonly whyNotApplied?: string | undefined
}

export interface DeploymentView {
  readonly metadata: { readonly name: string; readonly generation?: number }
  readonly status?: {
    readonly observedGeneration?: number
    readonly updatedReplicas?: number
    readonly availableReplicas?: number
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[]
  }
}

/** In the order in which one needs the other, so that the first that fails is the cause. */
export function componentStatements(observed: ComponentObservation): Statement[] {
  return [accepted(observed), networkAttached(observed), available(observed), serving(observed)]
}

function accepted({ generation, problems, warnings }: ComponentObservation): Statement {
  return acceptedStatement(generation, problems, warnings)
}

/** The first problem gives the reason; all of them are told. */
export function acceptedStatement(
  generation: number,
  problems: readonly Problem[],
  warnings: readonly string[] = [],
): Statement {
  const { holds, fails } = statementsAbout(generation)
  const [first] = problems
  if (!first) return holds('Accepted', 'Accepted', warnings.join('; '))
  const told = problems.map(({ field, message }) => (field ? `${field}: ${message}` : message))
  return fails('Accepted', first.reason, told.join('; '))
}

function networkAttached(observed: ComponentObservation): Statement {
  const { generation, attachment, pods, forDhcp } = observed
  const { holds, fails, isUnknown } = statementsAbout(generation)
  const type = 'NetworkAttached'
  const name = `${attachment.namespace}/${attachment.name}`
  if (!attachment.isKindInstalled) {
    const message = 'the cluster has no NetworkAttachmentDefinitions, so pods get no second network: install Multus'
    return fails(type, 'MultusMissing', message)
  }
  if (!attachment.found) {
    const message = `there is no NetworkAttachmentDefinition ${name}${missingHint(attachment)}`
    return fails(type, 'NetworkAttachmentMissing', message)
  }
  const problem = attachmentProblem(name, attachment.found, forDhcp)
  if (problem) return fails(type, problem.reason, problem.message)
  const [pod] = living(pods)
  if (!pod) return isUnknown(type, 'PodPending', 'there is no pod yet')
  const addresses = attachedAddresses(pod, attachment)
  if (addresses?.includes(attachment.address)) {
    return holds(type, 'Attached', `pod ${pod.metadata.name} has ${attachment.address} on ${name}`)
  }
  if (addresses === undefined && pod.status?.phase !== 'Running') {
    return isUnknown(type, 'PodPending', whyNotRunning(pod))
  }
  const has = addresses?.length ? `has ${addresses.join(', ')} there` : 'has no address there'
  return fails(
    type,
    'NetworkNotAttached',
    `pod ${pod.metadata.name} shall have ${attachment.address} on ${name} and ${has}${isolationHint(observed)}`,
  )
}

function missingHint({ maker, isInDefault, namespace }: ComponentObservation['attachment']): string {
  if (maker) return `; ${maker} makes one in every namespace that it selects: let it select ${namespace}`
  return isInDefault
    ? '; there is one of this name in default: set networkAttachmentNamespace to it if that is meant'
    : ''
}

/** Multus may be told to let pods use definitions of their own namespace only; that cannot be seen from here. */
function isolationHint({ attachment, namespace }: ComponentObservation): string {
  if (attachment.namespace === namespace || attachment.namespace === 'default') return ''
  return `; where Multus isolates namespaces (as on OpenShift) the definition has to be in ${namespace} or default`
}

function available({ generation, deployment, pods }: ComponentObservation): Statement {
  const { holds, fails, isUnknown } = statementsAbout(generation)
  const type = 'Available'
  if (!deployment) return isUnknown(type, 'PodPending', 'there is no Deployment yet')
  const { status, metadata } = deployment
  const isCurrent = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  if (isCurrent && (status?.availableReplicas ?? 0) > 0 && (status?.updatedReplicas ?? 0) > 0) {
    return holds(type, 'Available', '')
  }
  const [pod] = living(pods)
  if (pod) return fails(type, 'PodPending', whyNotRunning(pod))
  // Admission (quota, pod security) refuses pods where only the Deployment hears of it.
  const refusal = status?.conditions?.find(
    (condition) => condition.type === 'ReplicaFailure' && condition.status === 'True',
  )
  return fails(type, 'PodPending', refusal?.message ?? `Deployment ${metadata.name} has no pod yet`)
}

function serving({ generation, servingGeneration, whyNotApplied }: ComponentObservation): Statement {
  const { holds, fails, isUnknown } = statementsAbout(generation)
  if (servingGeneration === generation) return holds('Serving', 'Serving', '')
  if (servingGeneration === undefined && whyNotApplied === undefined) {
    return isUnknown('Serving', 'NotServing', 'the engine has not said yet that it serves')
  }
  const served =
    servingGeneration === undefined ? 'nothing yet' : `generation ${servingGeneration}, not yet ${generation}`
  const why = whyNotApplied ?? 'its log says why if it stays so'
  return fails('Serving', 'NotServing', `the engine serves ${served}: ${why}`)
}

function living(pods: readonly PodView[]): PodView[] {
  return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
}
