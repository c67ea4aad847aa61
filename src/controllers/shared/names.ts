import type { VirtualIngressSettings } from '../virtualingress/settings.ts'
import type { Caches } from './caches.ts'

/** The controllers that can be run on their own. */
export const controllerNames = ['infra', 'virtualingress'] as const
export type ControllerName = (typeof controllerNames)[number]

const forVirtualIngresses: readonly (keyof Caches)[] = [
  'virtualIngresses',
  'services',
  'endpointSlices',
  'ingresses',
  'httpRoutes',
  'referenceGrants',
]
const notForInfras: readonly string[] = ['virtualIngresses', 'ingresses', 'httpRoutes', 'referenceGrants']

/** What the controllers that run have to know of the cluster; the rest need not be there. */
export function neededCaches(
  caches: Caches,
  names: readonly ControllerName[],
  { crossNamespace, gatewayApi }: Pick<VirtualIngressSettings, 'crossNamespace' | 'gatewayApi'>,
) {
  const switches: Readonly<Record<string, boolean>> = {
    httpRoutes: gatewayApi,
    referenceGrants: gatewayApi && crossNamespace,
  }
  const isNeeded = (cache: string): boolean =>
    (names.includes('infra') && !notForInfras.includes(cache)) ||
    (names.includes('virtualingress') &&
      forVirtualIngresses.some((name) => name === cache) &&
      switches[cache] !== false)
  return Object.entries(caches)
    .filter(([cache]) => isNeeded(cache))
    .map(([, informer]) => informer)
}
