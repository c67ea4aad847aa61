import type { TargetWorld } from '../../core/plan/targets.ts'
import type { Caches } from './caches.ts'

export function targetWorld({ services, endpointSlices }: Caches): TargetWorld {
  return {
    serviceOf: (namespace, name) => services.objects.get(`${namespace}/${name}`),
    slicesOf: (namespace, name) => endpointSlices.objects.byIndex('byService', `${namespace}/${name}`),
  }
}
