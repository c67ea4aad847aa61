import type { LabEvent } from '../../lab/events.ts'

/**
 * Tells what happens as it happens, one line each with the time since the start. A long silence is broken by a line
 * that says what is being waited for.
 */
export class LabProgress {
  readonly #write: (text: string) => void
  readonly #nowMs: () => number
  readonly #startedMs: number
  readonly #waitingFor = new Map<string, number>()
  readonly #timer: NodeJS.Timeout

  constructor(write: (text: string) => void, nowMs: () => number, silenceMs = 5000) {
    this.#write = write
    this.#nowMs = nowMs
    this.#startedMs = nowMs()
    this.#timer = setInterval(() => this.#sayWhatIsAwaited(silenceMs), silenceMs)
    this.#timer.unref()
  }

  readonly show = (event: LabEvent): void => {
    if (event.type === 'begun') this.#waitingFor.set(event.what, this.#nowMs())
    if (event.type === 'done') this.#waitingFor.delete(event.what)
    const told = describeEvent(event)
    if (told) this.#line(told.what, told.text)
  }

  end(): void {
    clearInterval(this.#timer)
  }

  #sayWhatIsAwaited(silenceMs: number): void {
    const now = this.#nowMs()
    const awaited = [...this.#waitingFor].filter(([, since]) => now - since >= silenceMs)
    if (awaited.length === 0) return
    const named = awaited.slice(0, 5).map(([what, since]) => `${what} (${Math.round((now - since) / 1000)} s)`)
    const more = awaited.length > named.length ? ` and ${awaited.length - named.length} more` : ''
    this.#line('...', `waiting for ${named.join(', ')}${more}`)
  }

  #line(what: string, text: string): void {
    const seconds = ((this.#nowMs() - this.#startedMs) / 1000).toFixed(1)
    this.#write(`${`${seconds} s`.padStart(7)}  ${what.padEnd(13)}  ${text}\n`)
  }
}

/** Who it is about, and what is to be said; the beginning of something is not worth a line until it takes long. */
export function describeEvent(event: LabEvent): { readonly what: string; readonly text: string } | undefined {
  switch (event.type) {
    case 'begun':
      return undefined
    case 'done':
      return event
    case 'note':
      return { what: event.what ?? 'note', text: event.text }
    case 'step': {
      const { name, ok, ms, text } = event.step
      const verdict = ok ? 'ok  ' : 'FAIL'
      return { what: event.vm.name, text: `${verdict} ${name.padEnd(17)} ${`${ms} ms`.padStart(8)}  ${text}` }
    }
  }
}
