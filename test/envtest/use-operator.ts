import { afterAll, beforeAll } from 'vitest'
import type { Access } from '../../src/lab/kubernetes/access/access.ts'
import { sleep, systemClock } from '../../src/runtime/time/clock.ts'
import { until } from './operator-world.ts'
import { type RunningOperator, type StartOptions, startOperator } from './running-operator.ts'

export interface OperatorOfFile extends Pick<RunningOperator, 'client' | 'reconciles' | 'writes' | 'stop'> {
  /** Ends it and starts another, with the same options but for these. */
  restart(options?: StartOptions): Promise<void>
  /** Returns once nothing happens any more, and nothing is to happen later by itself. */
  settled(): Promise<void>
}

/** Runs from before the first test of the file until after the last. Call its methods inside tests. */
export function useOperator(plane: () => Access, options: StartOptions = {}): OperatorOfFile {
  let running: RunningOperator | undefined
  const current = (): RunningOperator => {
    if (running === undefined) throw new Error('the operator runs inside tests and hooks only')
    return running
  }
  const stop = async (): Promise<void> => {
    const ending = running
    running = undefined
    await ending?.stop()
  }
  beforeAll(async () => {
    running = await startOperator(plane(), options)
  })
  afterAll(stop)
  return {
    get client() {
      return current().client
    },
    reconciles: () => current().reconciles(),
    writes: () => current().writes(),
    settled: () => settled(current()),
    stop,
    async restart(others = {}) {
      await stop()
      running = await startOperator(plane(), { ...options, ...others })
    },
  }
}

async function settled(operator: RunningOperator): Promise<void> {
  let before = ''
  await until('nothing happens any more', async () => {
    const now = `${operator.reconciles()} ${operator.writes()}`
    const isSame = now === before && operator.delayed() === 0
    before = now
    if (!isSame) await sleep(systemClock, 700)
    return isSame
  })
}
