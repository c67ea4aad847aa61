import type { Labels, Selector } from './selector.ts'
import { selects } from './selector.ts'

/** A Service as far as choosing it goes. */
export interface ServiceView {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly labels: Labels
  /** As the API server writes it: RFC 3339 in UTC, so that texts compare as times do. */
  readonly createdAt: string
  readonly isTerminating: boolean
  readonly ports: readonly {
    readonly name?: string | undefined
    readonly port: number
    readonly protocol?: string | undefined
  }[]
  /** Who may lead requests to it from another namespace. */
  readonly allowFrom?: string | undefined
}

interface NamespaceIndex {
  readonly byName: Map<string, ServiceView>
  /** Names of Services by label, and by label and value. */
  readonly postings: Map<string, Set<string>>
}

/**
 * Services by namespace and label. A selector looks at the Services of its rarest label only, however many have its
 * common ones: the mirrored Services of a cluster share most of theirs.
 */
export class ServiceIndex {
  readonly #namespaces = new Map<string, NamespaceIndex>()
  #size = 0

  get size(): number {
    return this.#size
  }

  get(namespace: string, name: string): ServiceView | undefined {
    return this.#namespaces.get(namespace)?.byName.get(name)
  }

  put(service: ServiceView): void {
    this.remove(service.namespace, service.name)
    const index = this.#namespaces.get(service.namespace) ?? { byName: new Map(), postings: new Map() }
    this.#namespaces.set(service.namespace, index)
    index.byName.set(service.name, service)
    for (const posting of postingsOf(service.labels)) {
      const names = index.postings.get(posting)
      if (names) names.add(service.name)
      else index.postings.set(posting, new Set([service.name]))
    }
    this.#size++
  }

  remove(namespace: string, name: string): void {
    const index = this.#namespaces.get(namespace)
    const service = index?.byName.get(name)
    if (!index || !service) return
    index.byName.delete(name)
    for (const posting of postingsOf(service.labels)) {
      const names = index.postings.get(posting)
      names?.delete(name)
      if (names?.size === 0) index.postings.delete(posting)
    }
    if (index.byName.size === 0) this.#namespaces.delete(namespace)
    this.#size--
  }

  /** How many Services `matching` would have to look at. */
  cost(namespace: string, selector: Selector): number {
    const index = this.#namespaces.get(namespace)
    return index ? count(narrowest(index, selector)) : 0
  }

  matching(namespace: string, selector: Selector): ServiceView[] {
    const index = this.#namespaces.get(namespace)
    if (!index) return []
    const names = new Set(narrowest(index, selector).flatMap((set) => [...set.keys()]))
    return [...names]
      .flatMap((name) => index.byName.get(name) ?? [])
      .filter(({ labels }) => selects(selector, labels))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
  }
}

type Names = ReadonlySet<string> | ReadonlyMap<string, unknown>

const none: Names = new Set()

/** The sets of Services among which all that match are, as small as one requirement of the selector makes them. */
function narrowest({ byName, postings }: NamespaceIndex, selector: Selector): readonly Names[] {
  const { matchLabels = {}, matchExpressions = [] } = selector
  const ways = [
    ...Object.entries(matchLabels).map(([key, value]) => [postings.get(pair(key, value)) ?? none]),
    ...matchExpressions.flatMap(({ key, operator, values = [] }) => {
      if (operator === 'Exists') return [[postings.get(key) ?? none]]
      if (operator === 'In') return [values.map((value) => postings.get(pair(key, value)) ?? none)]
      return []
    }),
  ]
  return ways.reduce<readonly Names[]>((best, way) => (count(way) < count(best) ? way : best), [byName])
}

function count(sets: readonly Names[]): number {
  return sets.reduce((sum, { size }) => sum + size, 0)
}

/** No label has a line break in it. */
export function pair(key: string, value: string): string {
  return `${key}\n${value}`
}

function postingsOf(labels: Labels): string[] {
  return Object.entries(labels).flatMap(([key, value]) => [key, pair(key, value)])
}
