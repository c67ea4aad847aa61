import type { ServiceView as ServiceFields, SliceView } from '../../core/plan/targets.ts'
import { ownPrefix } from '../../core/virtualingress/metadata.ts'
import type { ServiceView } from '../../core/virtualingress/service-index.ts'
import type { KubeObject } from '../../runtime/kube/object.ts'

/** On a Service: the namespaces that may lead requests to it. */
const allowFromAnnotation = `${ownPrefix}/allow-from`

/** A Service as far as choosing it goes: what is left out can change without anybody being told. */
export function viewOf({ metadata, spec }: KubeObject & ServiceFields): ServiceView {
  const { name, namespace = '', uid = '', labels = {}, annotations = {}, creationTimestamp = '' } = metadata
  return {
    namespace,
    name,
    uid,
    labels,
    createdAt: creationTimestamp,
    isTerminating: metadata.deletionTimestamp !== undefined,
    ports: (spec?.ports ?? []).map(({ name: portName, port, protocol }) => ({ name: portName, port, protocol })),
    allowFrom: annotations[allowFromAnnotation],
  }
}

/** An endpoint that says nothing about itself counts as ready. */
export function hasReadyEndpoint({ endpoints }: SliceView): boolean {
  return (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false)
}
