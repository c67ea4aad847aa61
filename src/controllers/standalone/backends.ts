import type { Problem } from '../../core/result.ts'
import type { BackendReport } from '../../engines/proxy/backend-state.ts'

/** Backends of which no target took the last connection. What no client has needed yet is not known, and no problem. */
export function unreachableBackends(backends: readonly BackendReport[]): Problem[] {
  return backends
    .filter(({ endpoints, healthy, untried, lastError }) => endpoints > 0 && healthy + untried === 0 && lastError)
    .map(({ name, lastError }) => ({
      reason: 'BackendUnreachable',
      message: `no target of ${name} takes connections: ${lastError}`,
    }))
}
