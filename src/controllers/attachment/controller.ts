import { kinds } from '../../api/kinds.ts'
import { apiGroup } from '../../api/meta.ts'
import type { Problem } from '../../core/result.ts'
import { attachmentStatements } from '../../core/status/clusterattachment.ts'
import { summary } from '../../runtime/conditions/conditions.ts'
import { Controller } from '../../runtime/controller/controller.ts'
import { addFinalizer, isBeingDeleted, removeFinalizer } from '../../runtime/controller/finalizer.ts'
import type { Reconcile } from '../../runtime/controller/reconcile.ts'
import { type Key, keyOf } from '../../runtime/kube/object.ts'
import { childrenOf, clustersOf, infrasBoundTo, infrasOfHostedCluster, servedProxy } from '../shared/clusters.ts'
import { clusterAttachmentKind } from '../shared/kinds.ts'
import { awaitLeaving } from '../shared/leaving.ts'
import type { Operator } from '../shared/operator.ts'
import { forgetRead, infraOfAttachment, readInfra, understand } from '../shared/read.ts'
import { StatusReport } from '../shared/status.ts'

/** Keeps an attachment until the control plane that its machines belong to is gone. */
const attachmentFinalizer = `${apiGroup}/control-plane`

/** InfraClusterAttachment: what became of it. Its Infra does the work. */
export function attachmentController(operator: Operator): Controller {
  const { caches, writer, clock, log } = operator
  const report = new StatusReport(operator, clusterAttachmentKind)

  const reconcile: Reconcile = async (key, { signal }) => {
    const live = caches.clusterAttachments.objects.get(key)
    if (!live) return undefined
    const { generation = 0, name } = live.metadata
    const {
      resource,
      problems: mistakes,
      warnings,
    } = understand('InfraClusterAttachment', kinds.InfraClusterAttachment, live)
    const [infraKey = ''] = infraOfAttachment(live)
    const infra = caches.infras.objects.get(infraKey)
    const clusters = infra && clustersOf(operator, infra)
    const bound = clusters?.bound.find(({ claim }) => claim.attachment === name)
    if (isBeingDeleted(live)) {
      // As long as it is there its Infra serves it.
      const waiting = awaitLeaving(operator, live, bound ? [bound] : [])
      if (!waiting) await removeFinalizer(writer, clusterAttachmentKind, live, attachmentFinalizer, signal)
      return waiting
    }
    if (bound?.claim.hostedCluster) {
      await addFinalizer(writer, clusterAttachmentKind, live, attachmentFinalizer, signal)
    }
    const conflicts = clusters?.conflicts.filter(({ attachments }) => attachments.includes(name)) ?? []
    const namespace = bound?.claim.controlPlaneNamespace
    const backends = infra ? servedProxy(caches, infra)?.spec.backends : undefined
    const parts = attachmentStatements({
      generation,
      problems: [...mistakes, ...(infra ? [] : [noInfra(infraKey)]), ...conflicts],
      warnings,
      spec: resource?.spec,
      infra: infra && { name: infra.metadata.name, spec: readInfra(infra).resource?.spec },
      bound,
      children: infra ? childrenOf(caches, infra) : { dhcp: undefined, dns: undefined, proxy: undefined },
      isRouted: backends?.some(({ targetNamespace }) => targetNamespace === namespace) ?? false,
    })
    const ready = summary('Ready', parts, { reason: 'Ready', message: '', observedGeneration: generation })
    const fields = {
      ...(bound?.binding ? { domain: bound.binding.domain } : {}),
      ...(namespace === undefined ? {} : { controlPlaneNamespace: namespace }),
    }
    await report.write(live, [ready, ...parts], fields, signal)
    return undefined
  }

  const controller = new Controller({ name: 'infraclusterattachments', reconcile, clock, log, workers: 2 })
  const attachedTo = (infra: Key): Key[] =>
    caches.clusterAttachments.objects.byIndex('byInfra', infra).map(({ metadata }) => keyOf(metadata))
  const toAttachments = (infras: readonly Key[]): Key[] => infras.flatMap(attachedTo)
  // Those attached to the same Infra may have been in its way, or not any more.
  controller.watch(caches.clusterAttachments, (object) => [
    keyOf(object.metadata),
    ...toAttachments(infraOfAttachment(object)),
  ])
  controller.watch(caches.infras, ({ metadata }) => attachedTo(keyOf(metadata)))
  controller.watch(caches.hostedClusters, ({ metadata }) =>
    toAttachments(infrasOfHostedCluster(caches, keyOf(metadata))),
  )
  for (const cache of [caches.routes, caches.hostedControlPlanes, caches.services]) {
    controller.watch(cache, ({ metadata }) => toAttachments(infrasBoundTo(caches, metadata.namespace)))
  }
  caches.clusterAttachments.onChange(({ type, object }) => {
    if (type !== 'deleted') return
    report.forget(object)
    forgetRead(object)
  })
  return controller
}

function noInfra(key: Key): Problem {
  return { reason: 'InfraMissing', field: 'spec.infraRef.name', message: `there is no Infra ${key}` }
}
