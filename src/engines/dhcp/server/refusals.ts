import type { Reason } from '../../../api/reasons.ts'

/** A client that got no address, and why. */
export interface Refusal {
  readonly mac: string
  readonly reason: Reason
  readonly count: number
  /** RFC 3339. */
  readonly last: string
}

const kept = 10
/** However many strangers knock, the log has one line about them in this time. */
const loggedEveryMs = 1000
/** Who keeps knocking changes the report this often at most: each change of it may be a write to an API server. */
const recountedEveryMs = 60_000

/** The last few clients that were refused: enough to see what is wrong, whoever floods the link. */
export class Refusals {
  /** In order of the last refusal, oldest first. */
  readonly #byClient = new Map<string, { mac: string; reason: Reason; count: number; lastMs: number }>()
  #lastLoggedMs = Number.NEGATIVE_INFINITY
  #report: { readonly refusals: readonly Refusal[]; readonly atMs: number } | undefined

  /** Returns whether it is news worth a line in the log. */
  add(mac: string, reason: Reason, nowMs: number): boolean {
    const key = `${reason} ${mac}`
    const before = this.#byClient.get(key)
    this.#byClient.delete(key)
    this.#byClient.set(key, { mac, reason, count: (before?.count ?? 0) + 1, lastMs: nowMs })
    if (this.#byClient.size > kept) this.#byClient.delete(this.#byClient.keys().next().value ?? '')
    const isOld = this.#report !== undefined && nowMs - this.#report.atMs >= recountedEveryMs
    if (before === undefined || isOld) this.#report = undefined
    if (before !== undefined || nowMs - this.#lastLoggedMs < loggedEveryMs) return false
    this.#lastLoggedMs = nowMs
    return true
  }

  /** The counts of those who are in it already may be a minute old. */
  newestFirst(): readonly Refusal[] {
    this.#report ??= this.#count()
    return this.#report.refusals
  }

  #count() {
    const refusals = Array.from(this.#byClient.values(), ({ mac, reason, count, lastMs }) => ({
      mac,
      reason,
      count,
      last: new Date(lastMs).toISOString(),
    }))
    const newest = [...this.#byClient.values()].at(-1)
    return { refusals: refusals.reverse(), atMs: newest?.lastMs ?? Number.NEGATIVE_INFINITY }
  }
}
