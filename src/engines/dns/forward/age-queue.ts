/** What an element of the queue carries for it. */
export interface Queued<Item> {
  older: Item | undefined
  newer: Item | undefined
}

/**
 * Elements in the order they were added, as links in the elements themselves: adding, removing from anywhere and
 * asking for the oldest take the same few steps whatever the length. (A Set would step over all that was removed.)
 */
export class AgeQueue<Item extends Queued<Item>> {
  #oldest: Item | undefined
  #newest: Item | undefined
  #size = 0

  get oldest(): Item | undefined {
    return this.#oldest
  }

  get size(): number {
    return this.#size
  }

  add(item: Item): void {
    item.older = this.#newest
    item.newer = undefined
    if (this.#newest === undefined) this.#oldest = item
    else this.#newest.newer = item
    this.#newest = item
    this.#size++
  }

  remove(item: Item): void {
    if (item.older === undefined) this.#oldest = item.newer
    else item.older.newer = item.newer
    if (item.newer === undefined) this.#newest = item.older
    else item.newer.older = item.older
    item.older = undefined
    item.newer = undefined
    this.#size--
  }
}
