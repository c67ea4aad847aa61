import { type Key, type KubeObject, keyOf, parseKey } from '../kube/object.ts'
import type { Selection } from '../kube/options.ts'
import { isOlder } from '../kube/resource-version.ts'
import type { WatchEvent } from '../kube/watch.ts'
import { Reflector, type ReflectorOptions } from './reflector.ts'
import { type IndexFunction, type ReadonlyStore, Store } from './store.ts'

export type Change<T> =
  | { readonly type: 'added'; readonly object: T }
  | { readonly type: 'updated'; readonly object: T; readonly previous: T }
  | { readonly type: 'deleted'; readonly object: T }

export interface InformerOptions<T extends KubeObject> extends ReflectorOptions<T>, Selection {
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>
  /** What is kept of each object. Without one, all but `managedFields`, which nobody reads and which weigh the most. */
  readonly transform?: (object: T) => T
  /** A kind that may be missing counts as in step, with no objects, until it appears. */
  readonly optional?: boolean
  /** These namespaces instead of all or one: for programs that may not look into others. */
  readonly namespaces?: readonly string[]
}

/**
 * A local copy of the objects of a kind that follows the API server, and tells of every change. It is never wrong for
 * long: deletions missed during a gap are found by the next list; an object that was replaced by another of the same
 * name is told as deleted and added; what is told twice or late is ignored. While the API server cannot be reached it
 * keeps what it knew.
 */
export class Informer<T extends KubeObject> {
  readonly #options: InformerOptions<T>
  readonly #store: Store<T>
  /** One, or one for each namespace. */
  readonly #reflectors: readonly Reflector<T>[]
  readonly #unlisted: Set<number>
  readonly #handlers = new Set<(change: Change<T>) => void>()
  readonly #installedHandlers = new Set<(installed: boolean) => void>()
  readonly #inStep = Promise.withResolvers<void>()
  readonly #stop = new AbortController()
  readonly #counters = { handlerFailures: 0, duplicates: 0, late: 0 }
  #running: Promise<unknown> | undefined
  #hasSynced = false
  #installed: boolean | undefined
  #missingInARow = 0

  constructor(options: InformerOptions<T>) {
    this.#options = options
    this.#store = new Store(options.indexes)
    const { namespaces = [options.namespace] } = options
    this.#unlisted = new Set(namespaces.keys())
    this.#reflectors = namespaces.map(
      (namespace, index) =>
        new Reflector(
          { ...options, namespace },
          {
            replace: (items) => this.#replace(items, index, namespace),
            change: (event) => this.#apply(event),
            kindMissing: (error) => this.#kindMissing(error),
          },
        ),
    )
  }

  get kind(): string {
    return this.#options.kind.kind
  }

  get objects(): ReadonlyStore<T> {
    return this.#store
  }

  /** Whether the copy was complete at least once. */
  get hasSynced(): boolean {
    return this.#hasSynced
  }

  /** Resolves when the copy is complete for the first time; never fails. */
  get synced(): Promise<void> {
    return this.#inStep.promise
  }

  /** Whether the API server knows the kind; undefined until it said so. */
  get installed(): boolean | undefined {
    return this.#installed
  }

  /** Why the copy does not follow at the moment. */
  get lastError(): Error | undefined {
    return this.#reflectors.map(({ lastError }) => lastError).find((error) => error !== undefined)
  }

  stats(): InformerStats {
    const sum = (name: keyof Reflector<T>['stats']): number =>
      this.#reflectors.reduce((total, { stats }) => total + stats[name], 0)
    return {
      lists: sum('lists'),
      watches: sum('watches'),
      events: sum('events'),
      bookmarks: sum('bookmarks'),
      expired: sum('expired'),
      idle: sum('idle'),
      failures: sum('failures'),
      ...this.#counters,
      objects: this.#store.size,
    }
  }

  /** Tells the handler of all objects known by now, and then of every change. What a handler throws is logged. */
  onChange(handler: (change: Change<T>) => void): () => void {
    this.#handlers.add(handler)
    for (const object of [...this.#store.list()]) this.#call(handler, { type: 'added', object })
    return () => this.#handlers.delete(handler)
  }

  /** Tells the handler when the kind appears or goes away. */
  onInstalled(handler: (installed: boolean) => void): () => void {
    this.#installedHandlers.add(handler)
    return () => this.#installedHandlers.delete(handler)
  }

  start(): void {
    this.#running ??= Promise.all(this.#reflectors.map((reflector) => reflector.run(this.#stop.signal)))
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the informer was stopped'))
    await this.#running
  }

  #replace(items: readonly T[], index: number, namespace: string | undefined): void {
    this.#missingInARow = 0
    const isOfOthers = (key: Key): boolean => namespace !== undefined && parseKey(key).namespace !== namespace
    const gone = new Set<Key>([...this.#store.keys()].filter((key) => !isOfOthers(key)))
    for (const item of items) {
      gone.delete(keyOf(item.metadata))
      this.#put(item)
    }
    for (const key of gone) this.#remove(key)
    this.#unlisted.delete(index)
    if (this.#unlisted.size === 0) this.#nowInStep(true)
  }

  #apply({ type, object }: Exclude<WatchEvent<T>, { type: 'bookmark' }>): void {
    const known = this.#store.get(keyOf(object.metadata))
    if (type === 'deleted') {
      if (known?.metadata.uid === object.metadata.uid) this.#remove(keyOf(object.metadata), object)
      else this.#counters.late++
    } else if (isOlder(object.metadata.resourceVersion, known?.metadata.resourceVersion)) {
      this.#counters.late++
    } else if (!this.#put(object)) {
      this.#counters.duplicates++
    }
  }

  /** False if this very state is known already. */
  #put(received: T): boolean {
    const object = this.#transformed(received)
    const previous = this.#store.get(keyOf(object.metadata))
    const isSameObject = previous?.metadata.uid === object.metadata.uid
    if (isSameObject && previous?.metadata.resourceVersion === object.metadata.resourceVersion) {
      return false
    }
    if (previous && !isSameObject) this.#remove(keyOf(object.metadata))
    this.#guarded(() => this.#store.put(object))
    this.#tell(previous && isSameObject ? { type: 'updated', object, previous } : { type: 'added', object })
    return true
  }

  #remove(key: Key, lastState?: T): void {
    const object = lastState ? this.#transformed(lastState) : this.#store.get(key)
    this.#store.remove(key)
    if (object) this.#tell({ type: 'deleted', object })
  }

  /** Once may be an API server that is just starting; twice in a row is the truth. */
  #kindMissing(error: Error): void {
    const { optional, log } = this.#options
    this.#missingInARow++
    if (!optional) log.warn({ kind: this.kind, err: error }, 'the API server does not know the kind; trying again')
    if (!optional || (this.#hasSynced && this.#missingInARow < 2)) return
    for (const key of [...this.#store.keys()]) this.#remove(key)
    this.#nowInStep(false)
  }

  #nowInStep(installed: boolean): void {
    const isNews = this.#installed !== installed
    // Told once, and again only when it changes; that a kind is there from the start is no news.
    if (isNews && !installed) this.#options.log.info({ kind: this.kind }, 'the kind is not installed; going on without')
    else if (isNews && this.#installed === false)
      this.#options.log.info({ kind: this.kind }, 'the kind is installed now')
    this.#installed = installed
    if (isNews) for (const handler of this.#installedHandlers) this.#guarded(() => handler(installed))
    this.#hasSynced = true
    this.#inStep.resolve()
  }

  #transformed(object: T): T {
    const { transform = withoutManagedFields } = this.#options
    return this.#guarded(() => transform(object)) ?? object
  }

  #tell(change: Change<T>): void {
    for (const handler of this.#handlers) this.#call(handler, change)
  }

  #call(handler: (change: Change<T>) => void, change: Change<T>): void {
    this.#guarded(() => handler(change))
  }

  /** Code that is not ours must not end the stream that everybody lives on. */
  #guarded<Value>(run: () => Value): Value | undefined {
    try {
      return run()
    } catch (error) {
      this.#counters.handlerFailures++
      this.#options.log.error({ kind: this.kind, err: error }, 'a handler of changes failed')
      return undefined
    }
  }
}

export interface InformerStats {
  readonly objects: number
  readonly lists: number
  readonly watches: number
  readonly events: number
  readonly bookmarks: number
  /** Lists that were needed because the history was gone (410). */
  readonly expired: number
  /** Watches that were cut because nothing came. */
  readonly idle: number
  readonly failures: number
  readonly handlerFailures: number
  readonly duplicates: number
  readonly late: number
}

function withoutManagedFields<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}
