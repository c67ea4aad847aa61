import { isMapping } from '../../api/shape.ts'
import { controllerOf } from '../../runtime/controller/owner.ts'
import type { KubeObject } from '../../runtime/kube/object.ts'
import type { Caches } from './caches.ts'
import { proxyServerKind } from './kinds.ts'

/** The addresses of a Service; one without (headless, or none yet) has none. */
export function clusterAddresses(service: KubeObject | undefined): string[] {
  const spec: unknown = service && 'spec' in service ? service.spec : undefined
  if (!isMapping(spec)) return []
  const addresses = Array.isArray(spec.clusterIPs) ? spec.clusterIPs : [spec.clusterIP]
  return addresses.filter((address) => typeof address === 'string' && address !== '' && address !== 'None')
}

/** The Service of the proxy of an Infra; one of that name that somebody else made is not it. */
export function proxyServiceOf({ services }: Caches, infra: { name: string; namespace?: string | undefined }) {
  const service = services.objects.get(`${infra.namespace}/${infra.name}-proxy`)
  return service && controllerOf(service)?.kind === proxyServerKind.kind ? service : undefined
}
