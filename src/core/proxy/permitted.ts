import type { ProxyServer } from '../../api/proxyserver.ts'

/**
 * The proxy as its pod may serve it: what a backend says of its own target counts for nothing, only what the manager has
 * put into `status.resolved`. Whoever may edit the spec could else lead connections anywhere until the manager has
 * looked at it.
 */
export function onlyPermittedTargets(proxy: ProxyServer): ProxyServer {
  const permitted = new Map(proxy.status?.resolved?.backends?.map((backend) => [backend.name, backend.targetName]))
  const backends = proxy.spec.backends.map(({ targetAddress: _, ...backend }) => {
    const targetName = permitted.get(backend.name)
    return targetName === undefined ? backend : { ...backend, targetAddress: targetName }
  })
  return { ...proxy, spec: { ...proxy.spec, backends } }
}
