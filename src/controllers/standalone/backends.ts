import type { Problem } from '../../core/result.ts'
import { type BackendHealth, isUnreachable } from '../../core/status/proxy.ts'

/** Backends of which no target took the last connection. What no client has needed yet is not known, and no problem. */
export function unreachableBackends(backends: readonly BackendHealth[]): Problem[] {
  return backends.filter(isUnreachable).map(({ name, lastError }) => ({
    reason: 'BackendUnreachable',
    message: `no target of ${name} takes connections: ${lastError}`,
  }))
}
