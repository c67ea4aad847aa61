import type { Arrival, Origin } from './arrivals.ts'

/** A question that waits for its answer, and its neighbours among those that do. */
export class UnansweredQuestion implements Arrival {
  readonly packet: Uint8Array
  readonly from: Origin
  older: UnansweredQuestion | undefined = undefined
  newer: UnansweredQuestion | undefined = undefined

  constructor(packet: Uint8Array, from: Origin) {
    this.packet = packet
    this.from = from
  }
}

/**
 * The questions that wait for an upstream, for whoever takes over to ask again. They are links of a chain: every question
 * that is forwarded comes and goes here, and in a Set that costs a twentieth of all that is done for it, and memory.
 */
export class Unanswered {
  #newest: UnansweredQuestion | undefined

  add(packet: Uint8Array, from: Origin): UnansweredQuestion {
    const question = new UnansweredQuestion(packet, from)
    question.older = this.#newest
    if (this.#newest !== undefined) this.#newest.newer = question
    this.#newest = question
    return question
  }

  remove(question: UnansweredQuestion): void {
    const { older, newer } = question
    if (older !== undefined) older.newer = newer
    if (newer !== undefined) newer.older = older
    else if (this.#newest === question) this.#newest = older
    question.older = undefined
    question.newer = undefined
  }

  /** In the order they came. */
  list(): Arrival[] {
    const questions: Arrival[] = []
    for (let question = this.#newest; question !== undefined; question = question.older) questions.push(question)
    return questions.reverse()
  }
}
