import type { Logger } from '../../../runtime/observe/log.ts'
import { decodeName, encodeName } from '../codec/name.ts'
import { recordType } from '../codec/numbers.ts'
import type { Question } from '../codec/question.ts'
import type { RandomNumbers } from './random.ts'
import type { TlsOptions } from './tls-exchange.ts'
import { Upstream } from './upstream.ts'
import { formatUpstream, type UpstreamAddress } from './upstream-address.ts'

interface UpstreamSetOptions {
  readonly random: RandomNumbers
  readonly now: () => number
  readonly log: Logger
  /** PEM certificates of those who vouch for upstreams over TLS. */
  readonly authorities: () => readonly string[]
}

const probeIntervalMs = 1000
const loopRecheckMs = 30_000

/**
 * The upstreams and who of them is to be asked. One that is down is asked for the root's name servers until it answers
 * again. Each new one is sent a name that nobody else knows: if that name comes in here as a query, it is a loop.
 */
export class UpstreamSet {
  readonly #options: UpstreamSetOptions
  #upstreams: readonly Upstream[] = []
  readonly #loopProbes = new Map<string, Upstream>()
  readonly #timer: NodeJS.Timeout
  #loopCheckedAtMs = 0

  constructor(options: UpstreamSetOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#probe(), probeIntervalMs).unref()
  }

  get all(): readonly Upstream[] {
    return this.#upstreams
  }

  get usableCount(): number {
    return this.#upstreams.reduce((count, upstream) => count + (upstream.isLooping ? 0 : 1), 0)
  }

  replace(addresses: readonly UpstreamAddress[]): void {
    const { random, now } = this.#options
    const kept = new Map(this.#upstreams.map((upstream) => [upstream.label, upstream]))
    const next = new Map<string, Upstream>()
    for (const address of addresses) {
      const label = formatUpstream(address)
      next.set(label, kept.get(label) ?? new Upstream(address, random, now, this.#tlsOptions(label)))
    }
    const gone = this.#upstreams.filter((upstream) => !next.has(upstream.label))
    this.#upstreams = [...next.values()]
    for (const upstream of gone) upstream.close()
    for (const upstream of this.#upstreams) if (!kept.has(upstream.label)) this.#probeForLoop(upstream)
  }

  #tlsOptions(label: string): TlsOptions {
    const { authorities, log } = this.#options
    let said = ''
    const onUntrusted = (message: string): void => {
      if (said !== message) log.error({ upstream: label, message }, 'upstream has no certificate that can be trusted')
      said = message
    }
    return { authorities, onUntrusted }
  }

  /** The one to ask in the n-th attempt: those that are up in the order of the manifest, then the others. */
  choose(attempt: number): Upstream | undefined {
    const [first] = this.#upstreams
    if (attempt === 0 && first?.isHealthy) return first
    const usable = this.#upstreams.filter((upstream) => !upstream.isLooping)
    const ordered = [...usable.filter((upstream) => !upstream.isDown), ...usable.filter((upstream) => upstream.isDown)]
    return ordered[attempt % Math.max(ordered.length, 1)]
  }

  /** Is this the name by which we look for loops? Then the upstream it was sent to leads back here. */
  isLoopProbe(question: Question): boolean {
    if (this.#loopProbes.size === 0) return false
    const upstream = this.#loopProbes.get(decodeName(question.name))
    if (upstream === undefined) return false
    if (!upstream.isLooping) {
      this.#options.log.error(
        { upstream: upstream.label },
        'upstream leads back to this server; it is not asked any more',
      )
    }
    upstream.isLooping = true
    upstream.failed('loop')
    return true
  }

  close(): void {
    clearInterval(this.#timer)
    for (const upstream of this.#upstreams) upstream.close()
  }

  #probe(): void {
    const nowMs = this.#options.now()
    const checkLoops = nowMs - this.#loopCheckedAtMs > loopRecheckMs
    if (checkLoops) this.#loopCheckedAtMs = nowMs
    for (const upstream of this.#upstreams) {
      if (upstream.isDown) this.#probeHealth(upstream)
      if (upstream.isLooping && checkLoops) {
        upstream.isLooping = false
        this.#probeForLoop(upstream)
      }
    }
  }

  #probeHealth(upstream: Upstream): void {
    const cancel = upstream.ask(questionFor('', recordType.NS), (result) => {
      if (typeof result === 'string') return
      upstream.replied()
      this.#options.log.info({ upstream: upstream.label }, 'upstream answers again')
    })
    setTimeout(cancel, probeIntervalMs).unref()
  }

  #probeForLoop(upstream: Upstream): void {
    const { random } = this.#options
    const name = `${random.label()}.${random.label()}`
    this.#loopProbes.set(name, upstream)
    const cancel = upstream.ask(questionFor(name, recordType.HINFO), () => {})
    setTimeout(() => {
      cancel()
      this.#loopProbes.delete(name)
    }, 2 * probeIntervalMs).unref()
  }
}

function questionFor(name: string, type: number): Question {
  return { name: encodeName(name), hash: 0, type, dnssecOk: false, checkingDisabled: false }
}
