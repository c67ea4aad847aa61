import type { Problem, Result } from '../../core/result.ts'
import type { Informer } from '../cache/informer.ts'
import { type KubeObject, keyOf, type ObjectRef } from '../kube/object.ts'
import type { Logger } from '../observe/log.ts'
import { type Clock, sleep } from '../time/clock.ts'
import type { LastGoodCopy } from './last-good-copy.ts'
import { Newest } from './newest.ts'
import type { ResourceSource, SourceEvent } from './source.ts'

export interface WatchSourceOptions<Resource> {
  /** Follows the one object. It is started and stopped here. */
  readonly informer: Pick<
    Informer<KubeObject>,
    'kind' | 'onChange' | 'start' | 'stop' | 'synced' | 'hasSynced' | 'lastError'
  >
  readonly object: ObjectRef
  /** What of the object is to be served; a change of anything else is no event. */
  readonly reduce: (object: KubeObject) => unknown
  readonly parse: (reduced: unknown) => Result<Resource>
  readonly copy: LastGoodCopy
  readonly clock: Clock
  readonly log: Logger
  /** The API server is waited for this long before the copy on disk has to do. */
  readonly patienceMs?: number
}

const defaultPatienceMs = 1000

/**
 * One object of the API server as a source. A version that cannot be read, an object that was deleted and an API server
 * that is gone are told as problems; the last good version stays the one to serve. It is kept on disk too, so that a
 * process which starts while nobody answers begins with it, and goes on with the newest as soon as it can be had.
 */
export class WatchSource<Resource> implements ResourceSource<Resource> {
  readonly #options: WatchSourceOptions<Resource>
  readonly #newest = new Newest<Resource>()
  readonly #stop = new AbortController()
  /** The version told last, as text; undefined before the first one. */
  #told: string | undefined
  #hasProblems = false
  #exists = false

  constructor(options: WatchSourceOptions<Resource>) {
    this.#options = options
  }

  events(): AsyncIterable<SourceEvent<Resource>> {
    const { informer } = this.#options
    informer.onChange(({ type, object }) => (type === 'deleted' ? this.#deleted() : this.#changed(object)))
    informer.start()
    void this.#begin()
    return this.#newest.events()
  }

  stop(): void {
    this.#stop.abort()
    this.#newest.close()
    void this.#options.informer.stop()
  }

  async #begin(): Promise<void> {
    const { informer, clock, patienceMs = defaultPatienceMs } = this.#options
    const { signal } = this.#stop
    await Promise.race([informer.synced, sleep(clock, patienceMs, signal)])
    if (signal.aborted) return
    if (this.#told === undefined) await this.#useCopy()
    if (!informer.hasSynced) this.#problem(this.#unreachable())
    await informer.synced
    if (!this.#exists && !signal.aborted) this.#problem(this.#missing())
  }

  async #useCopy(): Promise<void> {
    const { copy, parse, object, log } = this.#options
    const kept = await copy.read()
    // It may have come while the disk was read.
    if (kept === undefined || this.#told !== undefined) return
    const parsed = parse(kept)
    if (!parsed.ok || !isOf(kept, object)) {
      log.warn({ problems: parsed.ok ? [] : parsed.problems }, 'the copy on disk is of no use')
      return
    }
    log.warn({ object: keyOf(object) }, 'starting with the copy on disk')
    this.#tell(parsed.value, JSON.stringify(kept))
  }

  #changed(received: KubeObject): void {
    const { reduce, parse, copy } = this.#options
    this.#exists = true
    const reduced = reduce(received)
    const text = JSON.stringify(reduced)
    if (text === this.#told && !this.#hasProblems) return
    const parsed = parse(reduced)
    if (!parsed.ok) {
      this.#problem(...parsed.problems)
      return
    }
    this.#tell(parsed.value, text)
    copy.keep(text)
  }

  #deleted(): void {
    this.#exists = false
    this.#problem(this.#missing())
  }

  #tell(resource: Resource, text: string): void {
    this.#told = text
    this.#hasProblems = false
    this.#newest.putObject(resource)
  }

  #problem(...problems: readonly Problem[]): void {
    this.#hasProblems = true
    this.#newest.putProblems(problems)
  }

  #missing(): Problem {
    const what = this.#title()
    const message =
      this.#told === undefined
        ? `there is no ${what}: create it, and it is served`
        : `${what} was deleted: its last version is served until this process is stopped`
    return { reason: 'ObjectMissing', message }
  }

  #unreachable(): Problem {
    const why = this.#options.informer.lastError?.message ?? 'no answer yet'
    const served = this.#told === undefined ? 'nothing is served until it can' : 'the copy on disk is served until then'
    return { reason: 'ApiUnreachable', message: `${this.#title()} cannot be read, ${served}: ${why}` }
  }

  #title(): string {
    return `${this.#options.informer.kind} ${keyOf(this.#options.object)}`
  }
}

/** A state directory that was another object's must not bring that one back. */
function isOf(kept: unknown, { namespace, name }: ObjectRef): boolean {
  if (typeof kept !== 'object' || kept === null || !('metadata' in kept)) return false
  const { metadata } = kept
  if (typeof metadata !== 'object' || metadata === null) return false
  return 'name' in metadata && metadata.name === name && 'namespace' in metadata && metadata.namespace === namespace
}
