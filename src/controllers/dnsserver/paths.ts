import type { Infra } from '../../api/infra.ts'
import { kinds } from '../../api/kinds.ts'
import { type Path, pathsOf } from '../../core/trace/paths.ts'
import type { Controller } from '../../runtime/controller/controller.ts'
import type { Operator } from '../shared/operator.ts'
import { understand } from '../shared/read.ts'
import { onSpecChange } from '../shared/spec-change.ts'

/** What the proxy of the same Infra publishes: the DNS pod, which is on the VLAN, tries the way there. */
export function publishedPaths({ caches }: Operator, infra: Infra | undefined): Path[] {
  const { namespace, name } = infra?.metadata ?? {}
  const proxy = infra && caches.proxyServers.objects.get(`${namespace}/${name}-proxy`)
  const { resource } = proxy ? understand('ProxyServer', kinds.ProxyServer, proxy) : {}
  return pathsOf(resource?.spec.backends ?? [])
}

export function followPublished({ caches }: Operator, controller: Controller): void {
  onSpecChange(caches.proxyServers, ({ metadata: { namespace, name } }) => {
    if (name.endsWith('-proxy')) controller.trigger(`${namespace}/${name.replace(/-proxy$/, '-dns')}`)
  })
}
