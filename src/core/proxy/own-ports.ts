import type { ProxyBackend, ProxyServer } from '../../api/proxyserver.ts'
import type { Problem } from '../result.ts'

/** What a proxy pod listens on for itself, at its address on the pod network. */
export const observePort = 8080
export const envoyMetricsPort = 9902
const ownPorts: readonly number[] = [observePort, envoyMetricsPort]

function clashes({ podNetwork, port }: ProxyBackend): boolean {
  return podNetwork && ownPorts.includes(port)
}

/** Backends that want a place which the pod needs itself. */
export function ownPortProblems({ spec }: ProxyServer): Problem[] {
  return spec.backends.flatMap((backend, index) => {
    if (!clashes(backend)) return []
    const message = `backend ${backend.name}: on the pod network port ${backend.port} is the pod's own, for health and metrics; it is served on the VLAN only. Choose another port, or leave podNetwork out.`
    return [{ reason: 'PortReserved' as const, field: `spec.backends[${index}].port`, message }]
  })
}

/** The same proxy without these places: one of them must not keep all others from being opened. */
export function withoutOwnPorts(proxy: ProxyServer): ProxyServer {
  const backends = proxy.spec.backends.map((backend) =>
    clashes(backend) ? { ...backend, podNetwork: false } : backend,
  )
  return { ...proxy, spec: { ...proxy.spec, backends } }
}
