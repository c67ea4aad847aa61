import type { Sample } from '../../runtime/observe/metrics.ts'

/** Numbers by label values, kept as plain additions until a scrape asks for them. */
export class Tally<Label extends string> {
  readonly #cells = new Map<string, { readonly labels: Readonly<Record<Label, string>>; value: number }>()

  constructor(start?: Tally<Label>) {
    for (const [key, cell] of start ? start.#cells : []) this.#cells.set(key, { ...cell })
  }

  add(labels: Readonly<Record<Label, string>>, amount = 1): void {
    const key = JSON.stringify(labels)
    const cell = this.#cells.get(key)
    if (cell) cell.value += amount
    else this.#cells.set(key, { labels, value: amount })
  }

  samples(): Sample[] {
    return [...this.#cells.values()]
  }
}
