import { setTimeout as sleep } from 'node:timers/promises'
import { type Place, placeText } from '../../core/places/place.ts'
import type { Problem } from '../../core/result.ts'
import { listensAt } from '../../runtime/host/listening-of.ts'

interface ProgramSlot {
  readonly refusals: readonly Problem[]
  readonly engine: { readonly programPid?: number | undefined } | undefined
}

const withinMs = 20_000

/** Waits until the program of the slot listens itself; or returns why the other process is better left alone. */
export async function besides(slot: ProgramSlot, places: readonly Place[]): Promise<readonly Problem[]> {
  if (slot.refusals.length > 0) return slot.refusals
  for (const deadlineMs = performance.now() + withinMs; performance.now() < deadlineMs; await sleep(20)) {
    const pid = slot.engine?.programPid
    if (pid !== undefined && (await listensAt(pid, places))) return []
  }
  const where = places.map(placeText).join(', ')
  const message = `the program that should take over does not listen on ${where} after ${withinMs / 1000} s: its own log says why`
  return [{ reason: 'ListenFailed', message }]
}
