import { apiGroup } from '../../api/meta.ts'
import type { Bound } from '../../core/plan/bind.ts'
import { Controller } from '../../runtime/controller/controller.ts'
import { addFinalizer, isBeingDeleted, removeFinalizer } from '../../runtime/controller/finalizer.ts'
import type { Outcome, Reconcile } from '../../runtime/controller/reconcile.ts'
import { clusterAttachmentKind, type OwnObject } from '../shared/kinds.ts'
import { awaitLeaving } from '../shared/leaving.ts'
import type { Operator } from '../shared/operator.ts'
import { forgetRead } from '../shared/read.ts'
import { StatusReport } from '../shared/status.ts'
import { attachmentStatus, lookAt } from './status.ts'
import { watchAttachments } from './watches.ts'

/** Keeps an attachment until the control plane that its machines belong to is gone. */
const attachmentFinalizer = `${apiGroup}/control-plane`

/** InfraClusterAttachment: what became of it. Its Infra does the work. */
export function attachmentController(operator: Operator): Controller {
  const { caches, writer, clock, log } = operator
  const report = new StatusReport(operator, clusterAttachmentKind)

  const reconcile: Reconcile = async (key, { signal }) => {
    const live = caches.clusterAttachments.objects.get(key)
    if (!live) return undefined
    const attached = lookAt(operator, live)
    if (isBeingDeleted(live)) return letGo(live, attached.bound, signal)
    if (attached.bound?.claim.hostedCluster) {
      await addFinalizer(writer, clusterAttachmentKind, live, attachmentFinalizer, signal)
    }
    const { statements, fields } = attachmentStatus(caches, live, attached)
    await report.write(live, statements, fields, signal)
    return undefined
  }

  /** As long as it is there its Infra serves it. */
  async function letGo(live: OwnObject, bound: Bound | undefined, signal: AbortSignal): Promise<Outcome | undefined> {
    const waiting = awaitLeaving(operator, live, bound ? [bound] : [])
    if (!waiting) await removeFinalizer(writer, clusterAttachmentKind, live, attachmentFinalizer, signal)
    return waiting
  }

  const controller = new Controller({ name: 'infraclusterattachments', reconcile, clock, log, workers: 2 })
  watchAttachments(controller, caches)
  caches.clusterAttachments.onChange(({ type, object }) => {
    if (type !== 'deleted') return
    report.forget(object)
    forgetRead(object)
  })
  return controller
}
