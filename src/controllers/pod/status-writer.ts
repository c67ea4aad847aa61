import { fingerprint } from '../../runtime/apply/fingerprint.ts'
import type { KubeClient } from '../../runtime/kube/client.ts'
import type { Kind } from '../../runtime/kube/kind.ts'
import type { KubeObject } from '../../runtime/kube/object.ts'
import type { Logger } from '../../runtime/observe/log.ts'
import { Backoff } from '../../runtime/time/backoff.ts'
import { type Clock, sleep } from '../../runtime/time/clock.ts'

export interface StatusWriterOptions {
  readonly client: Pick<KubeClient, 'applyStatus'>
  readonly kind: Kind
  /** The object as the API server showed it last; undefined while it is not there. */
  readonly live: () => KubeObject | undefined
  /** The fields that are the engine's, as they are now; undefined while there is nothing to tell. */
  readonly read: (live: KubeObject) => object | undefined
  readonly clock: Clock
  readonly random: () => number
  readonly log: Logger
}

/** A rack that boots changes the counts with every lease; nobody reads them more often than this. */
const pauseMs = 1000
const backoff = { firstMs: 1000, longestMs: 30_000, resetAfterMs: 60_000 }

/**
 * Brings what an engine says of itself into the status of its object: when it changed, at most once a second, and again
 * if somebody else overwrote it. Nothing is sent while nothing changes. Failures are waited out and touch nobody.
 */
export class StatusWriter {
  readonly #options: StatusWriterOptions
  readonly #backoff: Backoff
  readonly #stop = new AbortController()
  #running: Promise<void> | undefined
  #wake: (() => void) | undefined
  #written: { readonly uid: string; readonly wanted: string; readonly live: string } | undefined
  readonly stats = { writes: 0, failures: 0 }

  constructor(options: StatusWriterOptions) {
    this.#options = options
    this.#backoff = new Backoff(backoff, options.clock, options.random)
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** There may be news: look now rather than at the next second. */
  look(): void {
    this.#wake?.()
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the engine is being stopped'))
    this.#wake?.()
    await this.#running
  }

  async #run(): Promise<void> {
    const { clock } = this.#options
    const { signal } = this.#stop
    while (!signal.aborted) {
      const pauseMs = await this.#writeIfNeeded()
      if (pauseMs === undefined) await this.#aSecondOrNews()
      else await sleep(clock, pauseMs, signal)
    }
  }

  /** How long to leave the API server alone; undefined if it was not asked. */
  async #writeIfNeeded(): Promise<number | undefined> {
    const { client, kind, log } = this.#options
    const live = this.#options.live()
    const status = live && this.#options.read(live)
    const uid = live?.metadata.uid
    if (live === undefined || status === undefined || uid === undefined) return undefined
    const wanted = fingerprint(status)
    const isWritten = this.#written?.uid === uid && this.#written.wanted === wanted
    if (isWritten && this.#written?.live === fingerprintOf(live, status)) return undefined
    const { name, namespace = '' } = live.metadata
    const intent = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name, namespace }, status }
    try {
      const applied = await client.applyStatus(kind, intent, uid, this.#stop.signal)
      this.#written = { uid, wanted, live: fingerprintOf(applied, status) }
      this.stats.writes++
      return pauseMs
    } catch (error) {
      if (this.#stop.signal.aborted) return 0
      this.stats.failures++
      log.warn({ error: String(error) }, 'the status could not be written; trying again')
      return this.#backoff.next()
    }
  }

  #aSecondOrNews(): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        cancel()
        this.#wake = undefined
        resolve()
      }
      const cancel = this.#options.clock.after(pauseMs, finish)
      this.#wake = finish
      if (this.#stop.signal.aborted) finish()
    })
  }
}

/** Of the status of an object, only what is ours: what others write there is no reason to write again. */
function fingerprintOf(object: KubeObject, ours: object): string {
  const status: unknown = 'status' in object ? object.status : undefined
  if (typeof status !== 'object' || status === null) return fingerprint(null)
  const types = conditionsIn(ours).map(({ type }) => type)
  const entries = Object.entries(status).filter(([name]) => name in ours && name !== 'conditions')
  return fingerprint([
    Object.fromEntries(entries),
    // A list that several write into; each condition has one author.
    conditionsIn(status).filter(({ type }) => types.includes(type)),
  ])
}

function conditionsIn(status: object): { type?: unknown }[] {
  const list: unknown = 'conditions' in status ? status.conditions : undefined
  return Array.isArray(list) ? list : []
}
