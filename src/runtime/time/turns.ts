/** Tasks one after the other. What one throws is told to who asked for it, and is not in the way of the next. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  take<Value>(task: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(task)
    this.#last = turn.catch(() => undefined)
    return turn
  }
}
