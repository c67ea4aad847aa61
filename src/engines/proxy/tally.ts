import type { Sample } from '../../runtime/observe/metrics.ts'

/** Numbers by label values, kept as plain additions until a scrape asks for them. */
export class Tally {
  readonly #labels: readonly string[]
  readonly #cells = new Map<string, { readonly values: readonly string[]; value: number }>()

  constructor(labels: readonly string[]) {
    this.#labels = labels
  }

  /** Values in the order of the labels. */
  add(amount: number, ...values: readonly string[]): void {
    const key = values.join('\n')
    const cell = this.#cells.get(key)
    if (cell) cell.value += amount
    else this.#cells.set(key, { values, value: amount })
  }

  copy(): Tally {
    const copy = new Tally(this.#labels)
    for (const { values, value } of this.#cells.values()) copy.add(value, ...values)
    return copy
  }

  samples(): Sample[] {
    return [...this.#cells.values()].map(({ values, value }) => ({
      labels: Object.fromEntries(this.#labels.map((label, index) => [label, values[index] ?? ''])),
      value,
    }))
  }
}
