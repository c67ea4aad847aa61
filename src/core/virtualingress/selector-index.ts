import { type Labels, type Selector, selects } from './selector.ts'
import { pair } from './service-index.ts'

/** Who asks for which Services. */
export interface Interest {
  readonly namespace: string
  /** By labels, or by name. */
  readonly selector?: Selector | undefined
  readonly name?: string | undefined
}

interface Entry extends Interest {
  readonly owner: string
}

/**
 * The way back from a Service to those who ask for such: so that a change concerns only them. Each interest is filed
 * under one thing that a Service must have to be meant; a Service is looked up under everything it has.
 */
export class SelectorIndex {
  readonly #files = new Map<string, Set<Entry>>()
  readonly #owners = new Map<string, { readonly entry: Entry; readonly places: readonly string[] }[]>()

  set(owner: string, interests: readonly Interest[]): void {
    this.delete(owner)
    const filed = interests.map((interest) => {
      const entry = { ...interest, owner }
      const places = this.#placesOf(interest)
      for (const place of places) {
        const file = this.#files.get(place)
        if (file) file.add(entry)
        else this.#files.set(place, new Set([entry]))
      }
      return { entry, places }
    })
    if (filed.length > 0) this.#owners.set(owner, filed)
  }

  delete(owner: string): void {
    for (const { entry, places } of this.#owners.get(owner) ?? []) {
      for (const place of places) {
        const file = this.#files.get(place)
        file?.delete(entry)
        if (file?.size === 0) this.#files.delete(place)
      }
    }
    this.#owners.delete(owner)
  }

  /** Everybody whom a Service of this name with these labels concerns. */
  interestedIn(namespace: string, name: string, labels: Labels): Set<string> {
    const places = [
      `${namespace} *`,
      `${namespace} @${name}`,
      ...Object.entries(labels).flatMap(([key, value]) => [`${namespace} ${key}`, `${namespace} ${pair(key, value)}`]),
    ]
    const owners = new Set<string>()
    for (const place of places) {
      for (const { owner, selector, name: wanted } of this.#files.get(place) ?? []) {
        if (selector ? selects(selector, labels) : wanted === name) owners.add(owner)
      }
    }
    return owners
  }

  /** Of the labels that are asked for, the one that the fewest others are filed under. */
  #placesOf({ namespace, selector, name }: Interest): string[] {
    if (!selector) return [`${namespace} @${name}`]
    const { matchLabels = {}, matchExpressions = [] } = selector
    const pairs = Object.entries(matchLabels).map(([key, value]) => `${namespace} ${pair(key, value)}`)
    const size = (place: string): number => this.#files.get(place)?.size ?? 0
    const [rarest] = pairs.toSorted((one, other) => size(one) - size(other))
    if (rarest !== undefined) return [rarest]
    const oneOf = matchExpressions.find(({ operator }) => operator === 'In')
    if (oneOf) return [...new Set(oneOf.values)].map((value) => `${namespace} ${pair(oneOf.key, value)}`)
    const present = matchExpressions.find(({ operator }) => operator === 'Exists')
    return [present ? `${namespace} ${present.key}` : `${namespace} *`]
  }
}
