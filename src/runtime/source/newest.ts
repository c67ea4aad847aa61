import type { Problem } from '../../core/result.ts'
import type { SourceEvent } from './source.ts'

/**
 * What a consumer has not seen yet: at most one version and what is wrong since. A version replaces all that came
 * before it; problems replace only problems, since the version they came after is still the one to serve.
 */
export class Newest<Resource> {
  #version: { readonly object: Resource } | undefined
  #problems: readonly Problem[] | undefined
  #wake: (() => void) | undefined
  #closed = false

  putObject(object: Resource): void {
    this.#version = { object }
    this.#problems = undefined
    this.#wake?.()
  }

  putProblems(problems: readonly Problem[]): void {
    this.#problems = problems
    this.#wake?.()
  }

  close(): void {
    this.#closed = true
    this.#wake?.()
  }

  async *events(): AsyncGenerator<SourceEvent<Resource>> {
    while (!this.#closed) {
      const event = this.#take()
      if (event) yield event
      else await this.#arrival()
    }
  }

  #take(): SourceEvent<Resource> | undefined {
    if (this.#version) {
      const { object } = this.#version
      this.#version = undefined
      return { type: 'object', object }
    }
    const problems = this.#problems
    this.#problems = undefined
    return problems && { type: 'problems', problems }
  }

  #arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined
        resolve()
      }
    })
  }
}
