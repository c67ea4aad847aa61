import type { Engine, EngineStatus, Release } from './engine.ts'

/** Lets go of everything that another process may want, whether the engine knows a better way than to stop or not. */
export async function release<Resource, Status extends EngineStatus>(
  engine: Engine<Resource, Status> | undefined,
  graceMs: number,
): Promise<Release> {
  if (engine?.release) return engine.release(graceMs)
  await engine?.stop(0)
  return { left: [], drained: Promise.resolve() }
}
