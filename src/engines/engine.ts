import type { Problem, Result } from '../core/result.ts'
import type { Logger } from '../runtime/observe/log.ts'
import type { Metrics } from '../runtime/observe/metrics.ts'
import type { LeftDatagram } from './sockets/process-sockets.ts'
import type { Sockets } from './sockets/sockets.ts'

/**
 * A data plane that serves one resource. It does not know where the resource comes from (a file now, a watch in a
 * pod): whoever owns the ResourceSource calls `apply` with each version, one call at a time.
 */
export interface Engine<Resource, Status extends EngineStatus> {
  /** Serve this version from now on. If it cannot be served, the one before it stays and the problems are returned. */
  apply(resource: Resource): Promise<Result<void>>
  status(): Status
  /** Take no new work, give running work `graceMs` to end, then close everything. */
  stop(graceMs: number): Promise<void>
  /** As `stop`, for another process that takes over and has the same places. Without it there is no such process. */
  release?(graceMs: number): Promise<Release>
  /** The process that listens instead of this one, if there is one. */
  readonly programPid?: number | undefined
}

/** Another process can have everything now. */
export interface Release {
  /** What was asked of this engine and is left to that process to answer. */
  readonly left: readonly LeftDatagram[]
  /** Running work has ended, or its time is over. */
  readonly drained: Promise<void>
}

/** What every engine can say of itself. */
export interface EngineStatus {
  /** What of the version being served does not work at the moment; the rest does. */
  readonly problems: readonly Problem[]
}

/** What an engine needs of the world around it. */
export interface EngineContext {
  readonly log: Logger
  readonly metrics: Metrics
  /** Milliseconds since the epoch. Never jumps by itself in tests. */
  readonly now: () => number
  /** Addresses of this host on the pod network; the second DNS view and the pod-side proxy listeners live there. */
  readonly podAddresses: readonly string[]
  /** Where to get what the engine listens on; by default bound by this process alone. */
  readonly sockets?: Sockets
}
