import type { VirtualIngress } from '../../api/virtualingress.ts'
import { backendRefs } from '../../core/virtualingress/backends.ts'
import type { World } from '../../core/virtualingress/resolve.ts'
import { SelectorIndex } from '../../core/virtualingress/selector-index.ts'
import { ServiceIndex, type ServiceView } from '../../core/virtualingress/service-index.ts'
import { type Caches, serviceOfSlice } from '../shared/caches.ts'
import { hasReadyEndpoint, viewOf } from './view.ts'

/**
 * The Services of the cluster by their labels, and who asks for them. A change of a Service is told to those whom it
 * concerned before or concerns now, and to nobody if nothing about it changed that matters to them.
 */
export class Services {
  readonly index = new ServiceIndex()
  readonly #caches: Pick<Caches, 'services' | 'endpointSlices'>
  readonly #interests = new SelectorIndex()
  /** Those to whom endpoints matter. */
  readonly #endpointReaders = new Set<string>()

  /** `tell` is called with the keys of those concerned. */
  constructor(caches: Pick<Caches, 'services' | 'endpointSlices'>, tell: (keys: Iterable<string>) => void) {
    this.#caches = caches
    caches.services.onChange((change) => {
      const { name, namespace = '' } = change.object.metadata
      const before = this.index.get(namespace, name)
      const now = change.type === 'deleted' ? undefined : viewOf(change.object)
      if (now) this.index.put(now)
      else this.index.remove(namespace, name)
      if (JSON.stringify(before) === JSON.stringify(now)) return
      const concerned = [before, now].flatMap((view) => (view ? [...this.#interestedIn(view)] : []))
      tell(new Set(concerned))
    })
    caches.endpointSlices.onChange(({ object }) => {
      const [namespace = '', name = ''] = serviceOfSlice(object).split('/')
      const service = this.index.get(namespace, name)
      if (!service || this.#endpointReaders.size === 0) return
      tell([...this.#interestedIn(service)].filter((key) => this.#endpointReaders.has(key)))
    })
  }

  /** What a VirtualIngress asks for from now on. */
  follow(key: string, { metadata, spec }: VirtualIngress, readsEndpoints: boolean): void {
    const { namespace: own = '' } = metadata
    const interests = backendRefs(spec).map(({ service }) => ({
      namespace: service.namespace ?? own,
      ...(service.name === undefined ? { selector: service } : { name: service.name }),
    }))
    this.#interests.set(key, interests)
    if (readsEndpoints) this.#endpointReaders.add(key)
    else this.#endpointReaders.delete(key)
  }

  forget(key: string): void {
    this.#interests.delete(key)
    this.#endpointReaders.delete(key)
  }

  world(): World {
    return {
      services: this.index,
      isReady: ({ namespace, name }) => this.slicesOf(namespace, name).some(hasReadyEndpoint),
    }
  }

  slicesOf(namespace: string, name: string) {
    return this.#caches.endpointSlices.objects.byIndex('byService', `${namespace}/${name}`)
  }

  #interestedIn({ namespace, name, labels }: ServiceView): Set<string> {
    return this.#interests.interestedIn(namespace, name, labels)
  }
}
