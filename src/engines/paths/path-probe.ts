import type { Problem } from '../../core/result.ts'
import type { Path } from '../../core/trace/paths.ts'
import { type NameServer, tryPath } from './try-path.ts'

export interface PathProbeOptions {
  readonly now: () => number
  readonly tryPath?: typeof tryPath
  readonly everyMs?: number
}

const usualEveryMs = 60_000
/** Soon after the start, but when the proxy beside has had time to start too. */
const firstAfterMs = 10_000
/** What fails once may be a restart that goes on at this moment. */
const failuresInARow = 2

/**
 * Tries the way of a machine for every published name, one after the other, once a minute: the name by our DNS, the
 * connection through the proxy, the certificate at its end.
 */
export class PathProbe {
  readonly #options: PathProbeOptions
  #paths: readonly Path[] = []
  #server: NameServer | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #stopped = new AbortController()
  /** By name and port: how often in a row it failed, and why. */
  readonly #failures = new Map<string, { readonly times: number; readonly why: string }>()

  constructor(options: PathProbeOptions) {
    this.#options = options
  }

  follow(paths: readonly Path[], server: NameServer | undefined): void {
    this.#paths = paths
    this.#server = server
    const wanted = new Set(paths.map(keyOf))
    for (const key of this.#failures.keys()) if (!wanted.has(key)) this.#failures.delete(key)
    const { everyMs = usualEveryMs } = this.#options
    if (paths.length > 0) this.#timer ??= this.#later(Math.min(firstAfterMs, everyMs))
  }

  /** In the order of the paths, so that the same trouble is the same text. */
  get problems(): Problem[] {
    return this.#paths.flatMap((path): Problem[] => {
      const failure = this.#failures.get(keyOf(path))
      if (failure === undefined || failure.times < failuresInARow) return []
      return [{ reason: 'PathBroken', message: `${path.hostname} port ${path.port}: ${failure.why}` }]
    })
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#stopped.abort()
    this.#paths = []
    this.#failures.clear()
  }

  #later(ms: number): NodeJS.Timeout {
    return setTimeout(() => void this.#round(), ms).unref()
  }

  async #round(): Promise<void> {
    const { now, everyMs = usualEveryMs } = this.#options
    const attempt = this.#options.tryPath ?? tryPath
    for (const path of this.#paths) {
      if (this.#server === undefined) break
      const why = await attempt(path, this.#server, now(), this.#stopped.signal)
      if (!this.#paths.some((wanted) => keyOf(wanted) === keyOf(path))) continue
      const times = (this.#failures.get(keyOf(path))?.times ?? 0) + 1
      if (why === undefined) this.#failures.delete(keyOf(path))
      else this.#failures.set(keyOf(path), { times, why })
    }
    this.#timer = this.#paths.length > 0 ? this.#later(everyMs) : undefined
  }
}

function keyOf({ hostname, port }: Path): string {
  return `${hostname}:${port}`
}
