import type { OnLabEvent } from './events.ts'
import { Ledger } from './ledger/ledger.ts'
import { removeRemains } from './ledger/remains.ts'

export interface OwnedOptions {
  readonly onEvent: OnLabEvent
  /** Aborted when the user has had enough. */
  readonly stop: AbortSignal
}

/**
 * Opens a ledger, lets `use` make things on the host, and takes them away again however that ends; before it, what
 * killed labs have left. `over` is aborted with the user's stop and at the end, for work that goes on in the background.
 */
export async function withLedger<Value>(
  { onEvent, stop }: OwnedOptions,
  use: (ledger: Ledger, over: AbortSignal) => Promise<Value>,
): Promise<Value> {
  for (const id of await removeRemains(Date.now())) {
    onEvent({ type: 'note', text: `cleaned up after ${id}, whose owner was killed` })
  }
  stop.throwIfAborted()
  const ledger = Ledger.create(Math.random)
  const over = new AbortController()
  try {
    return await use(ledger, AbortSignal.any([stop, over.signal]))
  } finally {
    over.abort()
    onEvent({ type: 'begun', what: 'cleaning up' })
    await ledger.clear()
    onEvent({ type: 'done', what: 'cleaning up', text: `${ledger.id} is gone: namespaces, processes, files` })
  }
}

/** The work's outcome, or the reason of the stop as soon as there is one; the work itself goes on unheard. */
export function orStopped<Value>(work: Promise<Value>, stop: AbortSignal): Promise<Value> {
  work.catch(() => {})
  const stopped = Promise.withResolvers<never>()
  const reject = (): void => stopped.reject(stop.reason)
  if (stop.aborted) reject()
  stop.addEventListener('abort', reject, { once: true })
  return Promise.race([work, stopped.promise]).finally(() => stop.removeEventListener('abort', reject))
}

/** One part of building a lab, told when it is done. */
export type Phase = <Value>(what: string, work: Promise<Value>, text: (value: Value) => string) => Promise<Value>

export function phases({ onEvent, stop }: OwnedOptions): Phase {
  return async (what, work, text) => {
    onEvent({ type: 'begun', what })
    const value = await work
    onEvent({ type: 'done', what, text: text(value) })
    stop.throwIfAborted()
    return value
  }
}
