import { appsIngressStatus } from '../../api/infrastatus.ts'
import type { AppsIngressStatus } from '../../core/appsingress/status.ts'
import { StatusApply } from '../../runtime/apply/status-apply.ts'
import type { Kind } from '../../runtime/kube/kind.ts'
import type { OwnObject } from '../shared/kinds.ts'
import type { Operator } from '../shared/operator.ts'

/** Writes `status.appsIngressStatus`, and nothing else: the rest of the status has another writer. */
const fieldManager = 'oooi-apps-ingress'

/** What an earlier process wrote there. */
export function recordedStatus({ status }: OwnObject): AppsIngressStatus | undefined {
  return appsIngressStatus.safeParse(status?.appsIngressStatus).data
}

export class AppsReport {
  readonly #operator: Operator
  readonly #kind: Kind<OwnObject>
  readonly #statuses: StatusApply
  /** By uid: what was written last, which the cache may not show yet. */
  readonly #last = new Map<string, AppsIngressStatus | undefined>()

  constructor(operator: Operator, kind: Kind<OwnObject>) {
    this.#operator = operator
    this.#kind = kind
    this.#statuses = new StatusApply(operator.writer.as(fieldManager))
  }

  last(live: OwnObject): AppsIngressStatus | undefined {
    const { uid = '' } = live.metadata
    return this.#last.has(uid) ? this.#last.get(uid) : recordedStatus(live)
  }

  /** Undefined takes it all back. */
  async write(live: OwnObject, status: AppsIngressStatus | undefined, signal: AbortSignal): Promise<void> {
    const { name, namespace = '', uid = '' } = live.metadata
    const before = this.last(live)
    const { apiVersion, kind } = this.#kind
    const fields = status === undefined ? {} : { appsIngressStatus: status }
    await this.#statuses.apply(
      this.#kind,
      { apiVersion, kind, metadata: { name, namespace }, status: fields },
      live,
      signal,
    )
    this.#last.set(uid, status)
    if (status && (before?.phase !== status.phase || before?.reason !== status.reason)) this.#tell(live, status)
  }

  forget({ metadata: { uid = '' } }: OwnObject): void {
    this.#last.delete(uid)
    this.#statuses.forget(uid)
  }

  #tell(regarding: OwnObject, { phase, reason = '', message = '' }: AppsIngressStatus): void {
    this.#operator.events.record({
      regarding,
      type: phase === 'Degraded' ? 'Warning' : 'Normal',
      reason,
      action: 'PublishApps',
      note: message,
    })
  }
}
