import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FakeClock } from '../time/fake-clock.ts'
import { WorkQueue } from './queue.ts'

/**
 * The same contract written down as plainly as can be: for each key whether it is owed a visit, being visited, and when
 * it comes back by itself. The queue has to agree after every step of any sequence.
 */
class Model {
  now = 0
  readonly waiting: string[] = []
  readonly inWork = new Set<string>()
  readonly again = new Set<string>()
  readonly due = new Map<string, number>()
  readonly failures = new Map<string, number>()

  add(key: string): void {
    if (this.inWork.has(key)) this.again.add(key)
    else if (!this.waiting.includes(key)) this.waiting.push(key)
  }

  addAfter(key: string, delayMs: number): void {
    if (delayMs <= 0) this.add(key)
    else this.due.set(key, Math.min(this.due.get(key) ?? Number.POSITIVE_INFINITY, this.now + delayMs))
  }

  advance(byMs: number): void {
    this.now += byMs
    const ready = [...this.due].filter(([, at]) => at <= this.now).sort(([, one], [, other]) => one - other)
    for (const [key] of ready) {
      this.due.delete(key)
      this.add(key)
    }
  }
}

interface Real {
  readonly clock: FakeClock
  readonly queue: WorkQueue
}

type Step = fc.AsyncCommand<Model, Real>

function step(name: string, check: (model: Model) => boolean, run: (model: Model, real: Real) => Promise<void>): Step {
  return {
    check,
    async run(model, real) {
      await run(model, real)
      expect(real.queue.stats()).toMatchObject({
        waiting: model.waiting.length + model.again.size,
        delayed: model.due.size,
        inWork: model.inWork.size,
        failing: model.failures.size,
      })
    },
    toString: () => name,
  }
}

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const steps = [
  key.map((it) =>
    step(
      `add ${it}`,
      () => true,
      async (model, { queue }) => {
        queue.add(it)
        model.add(it)
      },
    ),
  ),
  fc.tuple(key, fc.integer({ min: -1, max: 50 })).map(([it, delayMs]) =>
    step(
      `addAfter ${it} ${delayMs}`,
      () => true,
      async (model, { queue }) => {
        queue.addAfter(it, delayMs)
        model.addAfter(it, delayMs)
      },
    ),
  ),
  fc.constant(
    step(
      'take',
      (model) => model.waiting.length > 0,
      async (model, { queue }) => {
        const expected = model.waiting.shift() ?? ''
        model.inWork.add(expected)
        model.due.delete(expected)
        expect(await queue.take()).toBe(expected)
      },
    ),
  ),
  fc.tuple(key, fc.constantFrom('success', 'failure')).map(([it, how]) =>
    step(
      `${how} ${it}`,
      (model) => model.inWork.has(it),
      async (model, { queue }) => {
        if (how === 'success') {
          queue.forget(it)
          model.failures.delete(it)
        } else {
          const failures = model.failures.get(it) ?? 0
          queue.retry(it)
          model.failures.set(it, failures + 1)
          model.addAfter(it, 5 * 2 ** failures)
        }
        queue.done(it)
        model.inWork.delete(it)
        if (model.again.delete(it)) model.waiting.push(it)
      },
    ),
  ),
  fc.integer({ min: 1, max: 60 }).map((byMs) =>
    step(
      `advance ${byMs}`,
      () => true,
      async (model, { clock }) => {
        await clock.advance(byMs)
        model.advance(byMs)
      },
    ),
  ),
]

test('the queue keeps its contract in any sequence of events', async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(steps, { maxCommands: 60 }), async (commands) => {
      const clock = new FakeClock()
      const setup = () => ({ model: new Model(), real: { clock, queue: new WorkQueue({ clock }) } })
      await fc.asyncModelRun(setup, commands)
    }),
    { numRuns: 300 },
  )
}, 30_000)
