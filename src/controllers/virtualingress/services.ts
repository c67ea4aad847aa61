import { type Asker, permitsFrom } from '../../core/virtualingress/consent.ts'
import type { World } from '../../core/virtualingress/resolve.ts'
import { type Interest, SelectorIndex } from '../../core/virtualingress/selector-index.ts'
import { ServiceIndex, type ServiceView } from '../../core/virtualingress/service-index.ts'
import { type Caches, serviceOfSlice } from '../shared/caches.ts'
import type { Operator } from '../shared/operator.ts'
import { hasReadyEndpoint, viewOf } from './view.ts'

/**
 * The Services of the cluster by their labels, and who asks for them. A change of a Service is told to those whom it
 * concerned before or concerns now, and to nobody if nothing about it changed that matters to them.
 */
export class Services {
  readonly index = new ServiceIndex()
  readonly #caches: Caches
  readonly #crossNamespace: boolean
  readonly #interests = new SelectorIndex()
  /** Those to whom endpoints matter. */
  readonly #endpointReaders = new Set<string>()

  /** `tell` is called with the keys of those concerned. */
  constructor({ caches, settings }: Operator, tell: (keys: Iterable<string>) => void) {
    this.#caches = caches
    this.#crossNamespace = settings.virtualIngress.crossNamespace
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
    // Consent is rarely given or taken: all who look elsewhere are asked again.
    caches.referenceGrants.onChange(() => tell(this.#endpointReaders))
    caches.endpointSlices.onChange(({ object }) => {
      const [namespace = '', name = ''] = serviceOfSlice(object).split('/')
      const service = this.index.get(namespace, name)
      if (!service || this.#endpointReaders.size === 0) return
      tell([...this.#interestedIn(service)].filter((key) => this.#endpointReaders.has(key)))
    })
  }

  /** What an object asks for from now on, and whether endpoints matter to it. */
  follow(key: string, interests: readonly Interest[], readsEndpoints: boolean): void {
    this.#interests.set(key, interests)
    if (readsEndpoints) this.#endpointReaders.add(key)
    else this.#endpointReaders.delete(key)
  }

  forget(key: string): void {
    this.#interests.delete(key)
    this.#endpointReaders.delete(key)
  }

  /** As objects of this kind see it; others' namespaces are only there where that is switched on. */
  world(asker: Asker): World {
    const { endpointSlices, referenceGrants } = this.#caches
    const slicesOf = ({ namespace, name }: ServiceView) =>
      endpointSlices.objects.byIndex('byService', `${namespace}/${name}`)
    const permits = (service: ServiceView, from: string): boolean =>
      permitsFrom(service, from, asker, referenceGrants.objects.byIndex('byNamespace', service.namespace))
    return {
      services: this.index,
      isReady: (service) => slicesOf(service).some(hasReadyEndpoint),
      slicesOf,
      ...(this.#crossNamespace ? { permits } : {}),
    }
  }

  #interestedIn({ namespace, name, labels }: ServiceView): Set<string> {
    return this.#interests.interestedIn(namespace, name, labels)
  }
}
