import type { Server } from 'node:http'
import type { Problem } from '../../core/result.ts'
import type { Boot } from '../../core/trace/boots.ts'
import type { Release } from '../../engines/engine.ts'
import { listenProblem } from '../../engines/listen-problem.ts'
import type { ProcessSockets } from '../../engines/sockets/process-sockets.ts'
import type { Logger } from '../../runtime/observe/log.ts'
import type { Metrics } from '../../runtime/observe/metrics.ts'
import { close, createObserveServer, listen } from '../../runtime/observe/server.ts'
import type { ResourceSource } from '../../runtime/source/source.ts'
import type { MissingAddresses } from './addresses.ts'
import { askToHandOver, legacyOf } from './handover.ts'
import type { ComponentReport } from './slot.ts'
import { answers, claimStateDir, controlSocketPath, releaseStateDir } from './statedir.ts'

/** What `serve` keeps up: all of an Infra, or one engine. */
export interface Served<Resource> {
  /** Returns why this version is not served; what merely does not work at the moment is in `problems`. */
  apply(resource: Resource): Promise<readonly Problem[]>
  /** Of several things some are not served as they are wanted; each was told by itself. */
  readonly isPartly?: boolean
  /** The newest version could not be read: say so in the report, go on with the one before it. */
  refuse(problems: readonly Problem[]): void
  /** Try again what the host did not allow. */
  retry(): Promise<readonly Problem[]>
  /** Look whether the host still allows what is served; what it does not is in `problems`. */
  inspect?(): Promise<void>
  /** Has all that this version needs, beside another process that serves it; or returns why it could not serve. */
  reserve?(resource: Resource): Promise<readonly Problem[]>
  /** For a process that takes over; see `Released`. Without it nobody can. */
  release?(graceMs: number): Promise<Released>
  reports(): readonly ComponentReport[]
  readonly problems: readonly Problem[]
  /** How far the machines came, where that is known. */
  boots?(): readonly Boot[]
  stop(graceMs: number): Promise<void>
}

/** What is left of a process that has handed over: connections that end by themselves, and what the next one inherits. */
export interface Released extends Release {
  readonly addresses: readonly MissingAddresses[]
}

/** Somebody who waits for the end at `/stopped`, and is told when all is over. */
export interface Ending {
  asked(): Promise<void>
  over(): void
}

interface ServeOptions<Resource> {
  readonly source: ResourceSource<Resource>
  readonly served: Served<Resource>
  readonly stateDir: string
  readonly observe?: { readonly host: string; readonly port: number } | undefined
  readonly metrics: Metrics
  /** What it listens on. */
  readonly sockets?: ProcessSockets
  readonly log: Logger
  readonly stop: AbortSignal
  readonly drainMs: number
  /** Take over from the process that has the state directory, if there is one. */
  readonly replace?: { readonly onInherit: (addresses: readonly MissingAddresses[]) => void } | undefined
  /** Where nobody reads why a process ended: it stays, is not ready and says why, and serves as soon as it can. */
  readonly staysWithoutAny?: boolean
  readonly end?: Ending | undefined
  /** Called once, when the first version is served. */
  readonly onServing: () => void
}

const retryMs = 5000
const inspectMs = 2000

/**
 * Runs until `stop`: claims the state directory, serves the first version (or returns why it cannot, with nothing
 * left running), then follows the source. Later mistakes are reported and change nothing.
 */
export async function serve<Resource>(options: ServeOptions<Resource>): Promise<readonly Problem[]> {
  const { served, source, log, drainMs } = options
  let released: Released | undefined
  const control = observeServer(options, {
    '/hand-over': async (answered) => {
      if (!served.release) throw new Error('this process serves nothing that can be handed over')
      options.sockets?.leave()
      released = await served.release(drainMs)
      log.info('handing over to a new process; open connections end here')
      // The new process waits for the answer, and then for the name of the socket.
      void answered.then(() => source.stop())
      return legacyOf(released)
    },
  })
  const windows: Server[] = []
  const claim = async (): Promise<readonly Problem[]> => {
    const claimed = await claimStateDir(options.stateDir, control)
    if (!claimed.ok) return claimed.problems
    if (!options.observe) return []
    const window = observeServer(options)
    windows.push(window)
    return openWindow(window, options.observe)
  }
  const isReplacing = options.replace !== undefined && (await answers(controlSocketPath(options.stateDir)))
  const refused = isReplacing ? [] : await claim()
  if (refused.length > 0) {
    source.stop()
    await Promise.all([...windows, control].map(close))
    return refused
  }
  countStanding(options)
  const timers = [
    setInterval(() => retryIfNeeded(options), retryMs),
    setInterval(() => {
      served.inspect?.().catch((error: unknown) => log.error({ error: String(error) }, 'inspection failed'))
    }, inspectMs),
  ]
  try {
    return await follow(options, isReplacing ? (resource) => takeOver(options, resource, claim) : undefined)
  } finally {
    for (const timer of timers) clearInterval(timer)
    source.stop()
    options.sockets?.leave()
    if (!released) await served.stop(drainMs)
    options.end?.over()
    await Promise.all(windows.map(close))
    await releaseStateDir(control)
    await released?.drained
  }
}

/**
 * Takes over from the process that has the state directory, when this one has all it needs to serve. From the moment of
 * its places on nothing is lost: what the other one does not answer waits here.
 */
async function takeOver<Resource>(
  { stateDir, replace, served, sockets }: ServeOptions<Resource>,
  resource: Resource,
  claim: () => Promise<readonly Problem[]>,
): Promise<readonly Problem[]> {
  const problems = await served.reserve?.(resource)
  if (problems && problems.length > 0) return problems
  sockets?.forgetCopies()
  const legacy = await askToHandOver(stateDir)
  if (!legacy.ok) return legacy.problems
  replace?.onInherit(legacy.value.addresses)
  sockets?.receiveLeft(legacy.value.left)
  return claim()
}

async function follow<Resource>(
  { source, served, log, stop, staysWithoutAny = false, onServing }: ServeOptions<Resource>,
  takeOver?: (resource: Resource) => Promise<readonly Problem[]>,
): Promise<readonly Problem[]> {
  stop.addEventListener('abort', () => source.stop(), { once: true })
  if (stop.aborted) return []
  let isServing = false
  let isOurs = takeOver === undefined
  for await (const event of source.events()) {
    if (event.type === 'object' && takeOver && !isOurs) {
      const refusals = await takeOver(event.object)
      if (refusals.length > 0) return refusals
      isOurs = true
    }
    const problems = event.type === 'object' ? await served.apply(event.object) : event.problems
    if (stop.aborted) break
    // Once another process has let go, there is nobody else who could serve.
    const isNeeded = staysWithoutAny || (takeOver !== undefined && isOurs)
    if (problems.length > 0 && !isServing && !isNeeded) return problems
    if (event.type === 'problems') served.refuse(problems)
    const instead = isServing ? 'the changed manifest is not served, the last good one is' : 'nothing is served yet'
    for (const problem of problems) log.error({ problem }, instead)
    if (problems.length > 0) continue
    if (!isServing) onServing()
    else if (!served.isPartly) log.info('the changed manifest is served')
    isServing = true
  }
  return []
}

/** How it stands, for whoever watches from afar; `oooi status` has the words to it. */
function countStanding<Resource>({ metrics, served }: ServeOptions<Resource>): void {
  metrics.gauge(
    { name: 'oooi_component_ready', help: '1 if the component serves its present manifest.', labels: ['component'] },
    () => served.reports().map(({ name, ready }) => ({ labels: { component: name }, value: ready ? 1 : 0 })),
  )
  metrics.gauge({ name: 'oooi_problems', help: 'What does not work at present.', labels: ['reason'] }, () => {
    const counts = new Map<string, number>()
    for (const { reason } of served.problems) counts.set(reason, (counts.get(reason) ?? 0) + 1)
    return [...counts].map(([reason, value]) => ({ labels: { reason }, value }))
  })
}

function retryIfNeeded<Resource>({ served, log }: ServeOptions<Resource>): void {
  const isWhole = (): boolean => served.reports().every((report) => report.ready)
  if (isWhole()) return
  served.retry().then(
    (problems) => problems.length === 0 && isWhole() && log.info('served again after an earlier problem'),
    (error: unknown) => log.error({ error: String(error) }, 'retry failed'),
  )
}

function observeServer<Resource>(
  { metrics, served, end }: ServeOptions<Resource>,
  orders: Parameters<typeof createObserveServer>[0]['orders'] = {},
): Server {
  return createObserveServer({
    orders,
    metrics,
    ready: () => {
      const reports = served.reports()
      if (reports.length === 0) return ['nothing is served yet']
      return reports.filter((report) => !report.ready).map((report) => `${report.name} is not ready`)
    },
    stopped: end && (() => end.asked()),
    documents: {
      '/status': () => ({
        ready: isReady(served),
        problems: served.problems,
        components: served.reports(),
        ...(served.boots ? { vms: served.boots() } : {}),
      }),
    },
  })
}

function isReady<Resource>(served: Served<Resource>): boolean {
  const reports = served.reports()
  return reports.length > 0 && served.problems.length === 0 && reports.every((report) => report.ready)
}

async function openWindow(server: Server, where: { host: string; port: number }): Promise<readonly Problem[]> {
  try {
    await listen(server, where)
    return []
  } catch (error) {
    const { field: _, ...problem } = listenProblem({ who: '--observe', address: where.host, port: where.port }, error)
    return [problem]
  }
}
