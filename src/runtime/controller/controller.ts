import type { Informer } from '../cache/informer.ts'
import { isHopeless } from '../kube/error.ts'
import { type Key, type KubeObject, keyOf } from '../kube/object.ts'
import type { Logger } from '../observe/log.ts'
import { type QueueStats, WorkQueue } from '../queue/queue.ts'
import { type Clock, longestDelayMs, sleep } from '../time/clock.ts'
import { startDeadline } from '../time/deadline.ts'
import { type Reconcile, Terminal } from './reconcile.ts'

export interface ControllerOptions {
  readonly name: string
  readonly reconcile: Reconcile
  readonly clock: Clock
  readonly log: Logger
  /** How many keys are worked on at a time. */
  readonly workers?: number
  /** How long one reconcile may take before its signal is aborted. */
  readonly timeoutMs?: number
  /** Told how long each reconcile took. */
  readonly onDuration?: (seconds: number) => void
}

export type ReconcileResult = 'done' | 'requeued' | 'failed' | 'terminal'

/** How long a reconcile whose signal was aborted may go on before the worker leaves it to itself. */
const abandonAfterMs = 5_000

/** Watches objects, queues their keys, and calls `reconcile` for each; see there for the contract. */
export class Controller {
  readonly name: string
  readonly #options: Required<Omit<ControllerOptions, 'onDuration'>> & Pick<ControllerOptions, 'onDuration'>
  readonly #queue: WorkQueue
  readonly #results: Record<ReconcileResult, number> = { done: 0, requeued: 0, failed: 0, terminal: 0 }
  readonly #stop = new AbortController()
  #workers: Promise<void>[] = []

  constructor(options: ControllerOptions) {
    this.name = options.name
    this.#options = { workers: 1, timeoutMs: 60_000, ...options }
    this.#queue = new WorkQueue({ clock: options.clock })
  }

  /** Calls reconcile for the keys that a changed object leads to; without `keysOf`, its own. */
  watch<T extends KubeObject>(informer: Informer<T>, keysOf: (object: T) => Iterable<Key> = ownKey): void {
    informer.onChange((change) => {
      // An object that changed hands concerns its former owner too.
      if (change.type === 'updated') for (const key of keysOf(change.previous)) this.#queue.add(key)
      for (const key of keysOf(change.object)) this.#queue.add(key)
    })
  }

  /** Calls reconcile for this key as if something had changed. */
  trigger(key: Key): void {
    this.#queue.add(key)
  }

  start(): void {
    if (this.#workers.length > 0) return
    this.#workers = Array.from({ length: this.#options.workers }, () => this.#work())
  }

  /** Begins nothing new and gives what runs `graceMs` to end before its signal is aborted. */
  async stop(graceMs: number): Promise<void> {
    const { clock } = this.#options
    const drained = this.#queue.close()
    const cancel = clock.after(graceMs, () => this.#stop.abort(new Error('the controller stops')))
    // Its end has to be told: a timer that nobody waits for any more would still keep the process alive.
    const wait = new AbortController()
    const abandoned = sleep(clock, graceMs + abandonAfterMs, wait.signal)
    await Promise.all([...this.#workers, Promise.race([drained, abandoned])])
    wait.abort()
    cancel()
  }

  stats(): ControllerStats {
    return { ...this.#queue.stats(), results: this.#results }
  }

  async #work(): Promise<void> {
    for (let key = await this.#queue.take(); key !== undefined; key = await this.#queue.take()) {
      await this.#handle(key)
    }
  }

  async #handle(key: Key): Promise<void> {
    const { clock, timeoutMs, reconcile, onDuration } = this.#options
    const log = this.#options.log.child({ controller: this.name, key })
    const startedAt = clock.elapsed()
    const tooLate = () => new Error(`reconcile took longer than ${timeoutMs / 1000} s`)
    const deadline = startDeadline(clock, timeoutMs, this.#stop.signal, tooLate)
    const run = this.#run(key, () => reconcile(key, { signal: deadline.signal, log }), log).finally(() => {
      deadline.cancel()
      onDuration?.((clock.elapsed() - startedAt) / 1000)
      this.#queue.done(key)
    })
    // One that ignores its signal keeps its key, so that it is not run twice at a time, but not the worker.
    const abandoned = abortedFor(clock, deadline.signal, abandonAfterMs)
    const isOver = await Promise.race([run.then(() => true), abandoned.promise.then(() => false)])
    abandoned.cancel()
    if (!isOver) log.error('reconcile goes on although its signal was aborted; leaving it to itself')
  }

  async #run(key: Key, reconcile: () => ReturnType<Reconcile>, log: Logger): Promise<void> {
    try {
      const { requeueAfterMs } = (await reconcile()) ?? {}
      this.#queue.forget(key)
      this.#results[requeueAfterMs === undefined ? 'done' : 'requeued']++
      if (requeueAfterMs !== undefined) this.#queue.addAfter(key, Math.min(requeueAfterMs, longestDelayMs))
    } catch (error) {
      const isTerminal = error instanceof Terminal || isHopeless(error)
      this.#results[isTerminal ? 'terminal' : 'failed']++
      if (isTerminal) {
        this.#queue.forget(key)
        log.error({ err: error }, 'reconcile failed, and trying again would not help')
      } else {
        this.#queue.retry(key)
        log.warn({ err: error }, 'reconcile failed; trying again later')
      }
    }
  }
}

export interface ControllerStats extends QueueStats {
  readonly results: Readonly<Record<ReconcileResult, number>>
}

function ownKey(object: KubeObject): Key[] {
  return [keyOf(object.metadata)]
}

/** Resolves some time after the signal was aborted. */
function abortedFor(
  clock: Clock,
  signal: AbortSignal,
  delayMs: number,
): { promise: Promise<void>; cancel: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  let cancelTimer: (() => void) | undefined
  const onAbort = (): void => {
    cancelTimer = clock.after(delayMs, resolve)
  }
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  return {
    promise,
    cancel() {
      signal.removeEventListener('abort', onAbort)
      cancelTimer?.()
    },
  }
}
