import type { Informer } from '../cache/informer.ts'
import type { KubeObject } from '../kube/object.ts'
import type { Election } from '../leader/election.ts'
import type { Logger } from '../observe/log.ts'
import { type Clock, sleep } from '../time/clock.ts'
import type { Controller } from './controller.ts'

export interface RunOptions {
  readonly informers: readonly Pick<
    Informer<KubeObject>,
    'kind' | 'start' | 'stop' | 'synced' | 'hasSynced' | 'lastError'
  >[]
  readonly controllers: readonly Controller[]
  /** Without one, this process is the only one. */
  readonly election?: Election
  readonly clock: Clock
  readonly log: Logger
  /** Aborted to end it. */
  readonly signal: AbortSignal
  /** How long running reconciles may take to end. */
  readonly graceMs?: number
  /** How long the caches may take to be complete before this counts as a failure. */
  readonly syncTimeoutMs?: number
}

/**
 * Runs controllers until told to stop, in the one order that is safe: caches first and complete (a reconcile on half a
 * cache would take the missing half for deleted), then leadership, then workers; and backwards at the end, so that
 * nothing is written after the lease was given back.
 *
 * Throws if the caches do not fill or leadership is lost; the process should then end with an error and be restarted.
 */
export async function runControllers(options: RunOptions): Promise<void> {
  const { informers, controllers, election, signal, graceMs = 20_000 } = options
  for (const informer of informers) informer.start()
  let lost: Error | undefined
  try {
    await cachesComplete(options)
    if (election && !signal.aborted) {
      election.start()
      await Promise.race([election.elected, aborted(signal)])
    }
    if (signal.aborted) return
    for (const controller of controllers) controller.start()
    lost = await Promise.race([aborted(signal), ...(election ? [election.lost] : [])])
  } finally {
    // A former leader has no time to give: everything it does from here on is refused by the fence anyway.
    await Promise.all(controllers.map((controller) => controller.stop(lost ? 0 : graceMs)))
    await Promise.all(informers.map((informer) => informer.stop()))
    await election?.stop()
  }
  if (lost) throw new Error(`Leadership lost: ${lost.message}.`, { cause: lost })
}

/** Why the caches are not complete yet, for a readiness probe; empty when they are. */
export function incompleteCaches(informers: RunOptions['informers']): string[] {
  return informers
    .filter((informer) => !informer.hasSynced)
    .map(({ kind, lastError }) => `${kind}: ${lastError?.message ?? 'not listed yet'}`)
}

async function cachesComplete({ informers, clock, log, signal, syncTimeoutMs = 120_000 }: RunOptions): Promise<void> {
  const complete = Promise.all(informers.map((informer) => informer.synced)).then(() => true)
  const ended = aborted(signal)
  const startedAt = clock.elapsed()
  while (!signal.aborted) {
    const wait = new AbortController()
    const isComplete = await Promise.race([complete, sleep(clock, 10_000, wait.signal), ended])
    wait.abort()
    if (isComplete === true || signal.aborted) return
    const missing = incompleteCaches(informers)
    if (clock.elapsed() - startedAt >= syncTimeoutMs) {
      throw new Error(`Not all objects could be read within ${syncTimeoutMs / 1000} s: ${missing.join('; ')}`)
    }
    log.warn({ missing }, 'waiting for the caches to fill')
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}
