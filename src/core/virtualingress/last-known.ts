import type { VirtualIngress } from '../../api/virtualingress.ts'
import { backendRefs, routeKey } from './backends.ts'
import type { LastKnown } from './resolve.ts'
import type { BackendStatus } from './status.ts'

/**
 * Where routes led before this process, by what the status says of them. Better than the Ingress itself, which
 * somebody may have edited; that is only for what the status does not tell.
 */
export function lastKnownBefore(
  { spec }: VirtualIngress,
  statuses: readonly BackendStatus[],
  live: ReadonlyMap<string, LastKnown>,
  stub: string,
): Map<string, LastKnown> {
  const said = new Map<string, LastKnown>()
  for (const { host, path, pathType, selector, field, name } of statuses) {
    if (name === undefined) continue
    const key = routeKey({ host, path, pathType })
    const isWeighted = field.includes('.services[')
    said.set(isWeighted ? `${key} ${selector ?? name}` : key, { name })
  }
  const known = new Map<string, LastKnown>()
  for (const { key } of backendRefs(spec)) {
    const [first, second] = [said.get(key), live.get(key)]
    // The number of a port is known to the live object only; it is of use while both speak of the same Service.
    const last = first && second && first.name === second.name ? second : (first ?? second)
    if (last && last.name !== stub) known.set(key, last)
  }
  return known
}
