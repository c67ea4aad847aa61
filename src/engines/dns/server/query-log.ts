import type { Logger } from '../../../runtime/observe/log.ts'
import { decodeName } from '../codec/name.ts'
import { codeName, typeName } from '../codec/numbers.ts'
import type { Sender } from './sender.ts'

/** A busy resolver must not fill the disk: above this, queries are only counted. */
const linesPerSecond = 200

/** One line per query, for those who want to see what a machine asks. Off unless it is switched on. */
export class QueryLog {
  readonly #log: Logger
  readonly #now: () => number
  #secondStartedAtMs = 0
  #linesInSecond = 0
  #leftOut = 0
  isOn = false

  constructor(log: Logger, now: () => number) {
    this.#log = log
    this.#now = now
  }

  /** `name`: its wire form, as it was asked. */
  note(sender: Sender, name: Uint8Array, type: number, code: number, startedAtMs?: number): void {
    const nowMs = this.#now()
    if (Math.abs(nowMs - this.#secondStartedAtMs) >= 1000) this.#beginSecond(nowMs)
    if (this.#linesInSecond >= linesPerSecond) {
      this.#leftOut++
      return
    }
    this.#linesInSecond++
    const { address: client, view, transport } = sender
    const took = startedAtMs === undefined ? {} : { forwardMs: nowMs - startedAtMs }
    const question = { name: `${decodeName(name)}.`, type: typeName(type) }
    this.#log.info({ client, view, transport, ...question, rcode: codeName(code), ...took }, 'query')
  }

  #beginSecond(nowMs: number): void {
    if (this.#leftOut > 0) this.#log.info({ count: this.#leftOut }, 'queries not logged: more than 200 in a second')
    this.#secondStartedAtMs = nowMs
    this.#linesInSecond = 0
    this.#leftOut = 0
  }
}
