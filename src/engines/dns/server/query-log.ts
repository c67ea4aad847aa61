import { LineLimit } from '../../../runtime/observe/line-limit.ts'
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
  readonly #limit: LineLimit
  isOn = false

  constructor(log: Logger, now: () => number) {
    this.#log = log
    this.#now = now
    this.#limit = new LineLimit(linesPerSecond, (count) =>
      log.info({ count }, `queries not logged: more than ${linesPerSecond} in a second`),
    )
  }

  /** `name`: its wire form, as it was asked. */
  note(sender: Sender, name: Uint8Array, type: number, code: number, startedAtMs?: number): void {
    const nowMs = this.#now()
    if (!this.#limit.take(nowMs)) return
    const { address: client, view, transport } = sender
    const took = startedAtMs === undefined ? {} : { forwardMs: nowMs - startedAtMs }
    const question = { name: `${decodeName(name)}.`, type: typeName(type) }
    this.#log.info({ client, view, transport, ...question, rcode: codeName(code), ...took }, 'query')
  }
}
