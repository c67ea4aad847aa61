import type { Reason } from '../../api/reasons.ts'
import type { AppsIngressStatus, Place } from '../../core/appsingress/status.ts'
import { type Key, keyOf, type ObjectRef } from '../../runtime/kube/object.ts'
import { startDeadline } from '../../runtime/time/deadline.ts'
import type { OwnObject } from '../shared/kinds.ts'
import type { Operator } from '../shared/operator.ts'
import { hostedTimeoutMs } from './clients.ts'
import { withdraw } from './hosted-cluster.ts'
import { type Located, locate } from './locate.ts'
import { meantBefore, ownerOf, type Subject, type SubjectKind } from './subject.ts'
import { troubleOf } from './trouble.ts'

/** How long it is tried to remove a Service from a cluster that may be gone for good. */
const deadlineMs = 60_000

/**
 * Removes the Services of objects that do not want them any more. Best effort: a hosted cluster that does not answer
 * must not keep anybody from deleting an Infra, so after a while the Service is left where it is, with an event.
 */
export class Removal {
  readonly #operator: Operator
  readonly #kind: SubjectKind
  /** Since when each Service is to be removed. */
  readonly #since = new Map<Key, number>()

  constructor(operator: Operator, kind: SubjectKind) {
    this.#operator = operator
    this.#kind = kind
  }

  /** Whether there is nothing more to do: it is gone, or was tried for long enough. */
  async remove(
    live: OwnObject,
    place: Place | AppsIngressStatus | undefined,
    subject: Subject | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (place?.serviceName === undefined || place.serviceNamespace === undefined) return true
    const ref = { name: place.serviceName, namespace: place.serviceNamespace }
    const id = `${live.metadata.uid} ${place.hostedCluster} ${keyOf(ref)}`
    const { clock, events } = this.#operator
    const since = this.#since.get(id) ?? clock.elapsed()
    this.#since.set(id, since)
    const found = locate(this.#operator, meantBefore(live, subject, place.hostedCluster))
    const why = found.ok ? await this.#try(live, found.value, ref, signal) : obstacle(found.problems)
    const isTooLate = !found.ok || clock.elapsed() - since >= deadlineMs
    if (why !== undefined && !isTooLate) return false
    this.#since.delete(id)
    if (why !== undefined) {
      const note = `Service ${keyOf(ref)} of HostedCluster ${place.hostedCluster} is left behind: ${why}`
      events.record({ regarding: live, type: 'Warning', reason: 'ServiceLeftBehind', action: 'Remove', note })
    }
    return true
  }

  async #try(live: OwnObject, located: Located, ref: ObjectRef, signal: AbortSignal): Promise<string | undefined> {
    const { clock, hosted } = this.#operator
    const { kind } = this.#kind
    const deadline = startDeadline(clock, hostedTimeoutMs, signal, () => new Error('the hosted cluster is too slow'))
    try {
      const client = await hosted.use(ownerOf(kind, live), located)
      await withdraw(client, ref, ownerOf(kind, live), deadline.signal)
      return undefined
    } catch (error) {
      const trouble = signal.aborted ? undefined : troubleOf(error, located)
      if (!trouble) throw error
      return trouble.message
    } finally {
      deadline.cancel()
    }
  }
}

/** Without a control plane there is no hosted cluster any more, and with it went the Service. */
const goneReasons: ReadonlySet<Reason> = new Set<Reason>([
  'HostedClusterUnknown',
  'HostedClusterMissing',
  'HyperShiftMissing',
  'ControlPlanePending',
])

function obstacle(problems: readonly { readonly reason: Reason; readonly message: string }[]): string | undefined {
  const others = problems.filter(({ reason }) => !goneReasons.has(reason))
  return others.length === 0 ? undefined : others.map(({ message }) => message).join('; ')
}
