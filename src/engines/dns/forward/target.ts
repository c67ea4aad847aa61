import type { Logger } from '../../../runtime/observe/log.ts'
import { encodeName } from '../codec/name.ts'
import { recordType, responseCode } from '../codec/numbers.ts'
import type { Question } from '../codec/question.ts'
import { addressesIn } from '../codec/response.ts'
import { WireName } from '../codec/wire-name.ts'
import { type Address, sameAddress } from '../zone/address.ts'
import type { KeptAnswer } from './cache.ts'

interface TargetOptions {
  readonly seed: number
  readonly ask: (question: Question, done: (kept: KeptAnswer) => void) => void
  readonly changed: () => void
  readonly log: Logger
}

const askAgainMs = 10_000
const askAgainWhileUnknownMs = 2000

/** The addresses behind a name that our own answers depend on: asked for again and again, the last good ones are kept. */
export class TargetAddresses {
  readonly #options: TargetOptions
  #name: string | undefined
  #addresses: readonly Address[] | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: TargetOptions) {
    this.#options = options
  }

  /** Undefined: not known yet, or no name is followed. */
  get addresses(): readonly Address[] | undefined {
    return this.#addresses
  }

  follow(name: string | undefined): void {
    if (name === this.#name) return
    this.#name = name
    this.#addresses = undefined
    clearTimeout(this.#timer)
    if (name !== undefined) this.#lookUp(name)
  }

  stop(): void {
    this.follow(undefined)
  }

  #lookUp(name: string): void {
    const found: Address[] = []
    let missing = 2
    for (const type of [recordType.A, recordType.AAAA] as const) {
      this.#options.ask(this.#question(name, type), ({ answer }) => {
        if (answer.responseCode === responseCode.NOERROR) {
          found.push(...addressesIn(answer, type).map((bytes) => ({ type, bytes })))
        }
        if (--missing === 0) this.#learn(name, found)
      })
    }
  }

  #learn(name: string, found: readonly Address[]): void {
    if (name !== this.#name) return
    const known = this.#addresses
    if (found.length > 0 && !(known && sameSet(known, found))) {
      this.#addresses = found
      this.#options.log.info({ name, addressCount: found.length }, 'the internal proxy has an address')
      this.#options.changed()
    } else if (known === undefined) {
      this.#options.log.warn(
        { name },
        'internalProxyIP is a name that does not resolve: names that lead to the proxy answer SERVFAIL on the pod network until it does; give an address, or an upstream that knows the name',
      )
    }
    const waitMs = this.#addresses === undefined ? askAgainWhileUnknownMs : askAgainMs
    this.#timer = setTimeout(() => this.#lookUp(name), waitMs).unref()
  }

  #question(text: string, type: number): Question {
    const name = encodeName(text)
    const cursor = new WireName(this.#options.seed)
    cursor.read(name, 0, name.length)
    return { name, hash: cursor.hash, type, dnssecOk: false, checkingDisabled: false }
  }
}

function sameSet(a: readonly Address[], b: readonly Address[]): boolean {
  return a.length === b.length && a.every((each) => b.some((other) => sameAddress(each, other)))
}
