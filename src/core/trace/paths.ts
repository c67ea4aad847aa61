import type { ProxyBackend } from '../../api/proxyserver.ts'

/** A name that machines use, and the port they use it with. */
export interface Path {
  readonly hostname: string
  readonly port: number
}

const mostPaths = 64
/** Names that exist for clients that bring their own idea of the certificate. */
const isAlias = (backend: string): boolean => /-(internal|kubernetes-hostname(-\d+)?)$/.test(backend)

/** The published names whose whole way can be tried from the VLAN: those with TLS, for everybody, and not of a wildcard. */
export function pathsOf(backends: readonly ProxyBackend[]): Path[] {
  return backends
    .filter(
      ({ name, hostname, protocol, sourcePrefixRanges, allowedSourceCIDRs }) =>
        !hostname.startsWith('*') &&
        hostname.includes('.') &&
        (protocol === 'TCP' || protocol === 'TLS') &&
        !isAlias(name) &&
        sourcePrefixRanges === undefined &&
        allowedSourceCIDRs === undefined,
    )
    .map(({ hostname, port }) => ({ hostname, port }))
    .slice(0, mostPaths)
}
