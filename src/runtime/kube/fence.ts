import type { Dispatcher } from 'undici'

/**
 * Called at the very moment a request is put onto a connection, after every wait; throws FenceClosed if it must not go out. That
 * is the difference between "I was the leader when I asked" and "I am the leader now": a process that was stopped
 * between the two writes nothing when it wakes.
 */
export type Fence = () => void

/** The request was not sent, because the one who asked for it has lost the right to. */
export class FenceClosed extends Error {
  override readonly name = 'FenceClosed'
}

/** A dispatcher that asks the fence before each request it starts. */
export function fenced(dispatcher: Dispatcher, fence: Fence): Dispatcher {
  return dispatcher.compose((dispatch) => (options, handler) => dispatch(options, new FencedHandler(handler, fence)))
}

type Handler = Dispatcher.DispatchHandler
type Arguments<Method extends keyof Handler> = Parameters<NonNullable<Handler[Method]>>

class FencedHandler implements Handler {
  readonly #inner: Handler
  readonly #fence: Fence

  constructor(inner: Handler, fence: Fence) {
    this.#inner = inner
    this.#fence = fence
  }

  onRequestStart(...args: Arguments<'onRequestStart'>): void {
    try {
      this.#fence()
    } catch (error) {
      args[0].abort(error instanceof Error ? error : new Error(String(error)))
      return
    }
    this.#inner.onRequestStart?.(...args)
  }

  onResponseStart(...args: Arguments<'onResponseStart'>): void {
    this.#inner.onResponseStart?.(...args)
  }

  onResponseData(...args: Arguments<'onResponseData'>): void {
    this.#inner.onResponseData?.(...args)
  }

  onResponseEnd(...args: Arguments<'onResponseEnd'>): void {
    this.#inner.onResponseEnd?.(...args)
  }

  onResponseError(...args: Arguments<'onResponseError'>): void {
    this.#inner.onResponseError?.(...args)
  }
}
