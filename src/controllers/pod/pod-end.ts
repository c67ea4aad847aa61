/**
 * Tells the end of a pod from the end of our container alone. Only with the pod the kubelet also ends the container
 * beside ours, and before that its hook asks us to say when we are done. So being asked while being stopped means: the
 * pod ends.
 */
export class PodEnd {
  readonly #asked = Promise.withResolvers<true>()
  readonly #over = Promise.withResolvers<void>()

  /** The question of the hook; answered when all is over. */
  asked(): Promise<void> {
    this.#asked.resolve(true)
    return this.#over.promise
  }

  /** Was the question asked, or does it come in time? The kubelet stops both containers at the same moment. */
  async isComing(withinMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => resolve(false), withinMs)
    const isComing = await Promise.race([this.#asked.promise, promise])
    clearTimeout(timer)
    return isComing
  }

  over(): void {
    this.#over.resolve()
  }
}
