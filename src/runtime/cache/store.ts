import { type Key, type KubeObject, keyOf } from '../kube/object.ts'

/** The values under which an object is found in an index; none, one or many. */
export type IndexFunction<T> = (object: T) => readonly string[]

/** The objects of a kind by key and by the indexes asked for. Whoever reads them must not change them. */
export interface ReadonlyStore<T extends KubeObject> {
  readonly size: number
  get(key: Key): T | undefined
  list(): Iterable<T>
  /** The objects that an index function gave this value. */
  byIndex(index: string, value: string): T[]
}

export class Store<T extends KubeObject> implements ReadonlyStore<T> {
  readonly #objects = new Map<Key, T>()
  readonly #indexes: readonly Index<T>[]

  constructor(indexes: Readonly<Record<string, IndexFunction<T>>> = {}) {
    this.#indexes = Object.entries(indexes).map(([name, valuesOf]) => ({
      name,
      valuesOf,
      keys: new Map(),
      values: new Map(),
    }))
  }

  get size(): number {
    return this.#objects.size
  }

  get(key: Key): T | undefined {
    return this.#objects.get(key)
  }

  list(): Iterable<T> {
    return this.#objects.values()
  }

  keys(): Iterable<Key> {
    return this.#objects.keys()
  }

  byIndex(name: string, value: string): T[] {
    const index = this.#indexes.find((candidate) => candidate.name === name)
    if (!index) throw new Error(`There is no index '${name}'.`)
    return [...(index.keys.get(value) ?? [])].flatMap((key) => this.#objects.get(key) ?? [])
  }

  put(object: T): void {
    const key = keyOf(object.metadata)
    this.#objects.set(key, object)
    for (const index of this.#indexes) update(index, key, new Set(index.valuesOf(object)))
  }

  remove(key: Key): void {
    this.#objects.delete(key)
    for (const index of this.#indexes) update(index, key, new Set())
  }
}

interface Index<T> {
  readonly name: string
  readonly valuesOf: IndexFunction<T>
  readonly keys: Map<string, Set<Key>>
  /** What each key is filed under, so that it can be taken out again whatever the function says by then. */
  readonly values: Map<Key, ReadonlySet<string>>
}

function update<T>(index: Index<T>, key: Key, values: ReadonlySet<string>): void {
  const before = index.values.get(key) ?? new Set()
  for (const value of before) {
    if (values.has(value)) continue
    const keys = index.keys.get(value)
    keys?.delete(key)
    if (keys?.size === 0) index.keys.delete(value)
  }
  for (const value of values) {
    const keys = index.keys.get(value)
    if (keys) keys.add(key)
    else index.keys.set(value, new Set([key]))
  }
  if (values.size === 0) index.values.delete(key)
  else index.values.set(key, values)
}
