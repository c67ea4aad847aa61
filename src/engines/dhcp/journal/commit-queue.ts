import type { Lease } from '../leases/lease.ts'

/** Changes that are written together, and who waits for them. */
export interface Batch {
  readonly changes: readonly Lease[]
  readonly waiting: readonly ((stored: boolean) => void)[]
}

/** Changes that wait while the disk is busy with earlier ones. However slow it is, one sync serves them all. */
export class CommitQueue {
  #changes: Lease[] = []
  #waiting: ((stored: boolean) => void)[] = []

  get length(): number {
    return this.#waiting.length
  }

  add(changes: readonly Lease[], settled: (stored: boolean) => void): void {
    for (const change of changes) this.#changes.push(change)
    this.#waiting.push(settled)
  }

  take(): Batch | undefined {
    if (this.#waiting.length === 0) return undefined
    const batch = { changes: this.#changes, waiting: this.#waiting }
    this.#changes = []
    this.#waiting = []
    return batch
  }
}

export function settle(batch: Batch, stored: boolean): void {
  for (const settled of batch.waiting) settled(stored)
}
