import type { Server } from 'node:http'
import type { Problem } from '../../core/result.ts'
import type { Boot } from '../../core/trace/boots.ts'
import type { Logger } from '../../runtime/observe/log.ts'
import type { Metrics } from '../../runtime/observe/metrics.ts'
import { close, createObserveServer, listen } from '../../runtime/observe/server.ts'
import type { ResourceSource } from '../../runtime/source/source.ts'
import type { MissingAddresses } from './addresses.ts'
import { askToHandOver } from './handover.ts'
import type { ComponentReport } from './slot.ts'
import { claimStateDir, releaseStateDir } from './statedir.ts'

/** What `serve` keeps up: all of an Infra, or one engine. */
export interface Served<Resource> {
  /** Returns why this version is not served; what merely does not work at the moment is in `problems`. */
  apply(resource: Resource): Promise<readonly Problem[]>
  /** The newest version could not be read: say so in the report, go on with the one before it. */
  refuse(problems: readonly Problem[]): void
  /** Try again what the host did not allow. */
  retry(): Promise<readonly Problem[]>
  /** Look whether the host still allows what is served; what it does not is in `problems`. */
  inspect?(): Promise<void>
  /** Takes over from an earlier process by this, at the moment that costs least; without it, before anything else. */
  takeOverWith?(task: () => Promise<readonly Problem[]>): void
  /** For a process that takes over; see `Released`. Without it nobody can. */
  release?(graceMs: number): Promise<Released>
  reports(): readonly ComponentReport[]
  readonly problems: readonly Problem[]
  /** How far the machines came, where that is known. */
  boots?(): readonly Boot[]
  stop(graceMs: number): Promise<void>
}

/** What is left of a process that has handed over: connections that end by themselves, and what the next one inherits. */
export interface Released {
  readonly drained: Promise<void>
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
    '/hand-over': async () => {
      released = await served.release?.(drainMs)
      if (!released) throw new Error('this process serves nothing that can be handed over')
      log.info('handing over to a new process; open connections end here')
      // After the answer is out: the socket's name must be free before the new process takes it.
      setImmediate(() => source.stop())
      return { addresses: released.addresses }
    },
  })
  const later = options.replace && served.takeOverWith
  later?.call(served, () => claim(options, control))
  const refused = later ? [] : await claim(options, control)
  if (refused.length > 0) {
    source.stop()
    return refused
  }
  countStanding(options)
  const windows: Server[] = []
  const timers = [
    setInterval(() => retryIfNeeded(options), retryMs),
    setInterval(() => {
      served.inspect?.().catch((error: unknown) => log.error({ error: String(error) }, 'inspection failed'))
    }, inspectMs),
  ]
  try {
    if (options.observe) {
      const window = observeServer(options)
      const problem = await openWindow(window, options.observe)
      if (problem) return [problem]
      windows.push(window)
    }
    return await follow(options)
  } finally {
    for (const timer of timers) clearInterval(timer)
    source.stop()
    if (!released) await served.stop(drainMs)
    options.end?.over()
    await Promise.all(windows.map(close))
    await releaseStateDir(control)
    await released?.drained
  }
}

/** The state directory is this process's, or the problems say why not. */
async function claim<Resource>(
  { stateDir, replace }: ServeOptions<Resource>,
  control: Server,
): Promise<readonly Problem[]> {
  if (replace) {
    const inherited = await askToHandOver(stateDir)
    if (!inherited.ok) return inherited.problems
    replace.onInherit(inherited.value)
  }
  const claimed = await claimStateDir(stateDir, control)
  return claimed.ok ? [] : claimed.problems
}

async function follow<Resource>({
  source,
  served,
  log,
  stop,
  staysWithoutAny = false,
  onServing,
}: ServeOptions<Resource>): Promise<readonly Problem[]> {
  stop.addEventListener('abort', () => source.stop(), { once: true })
  if (stop.aborted) return []
  let isServing = false
  for await (const event of source.events()) {
    const problems = event.type === 'object' ? await served.apply(event.object) : event.problems
    if (stop.aborted) break
    if (problems.length > 0 && !isServing && !staysWithoutAny) return problems
    if (event.type === 'problems') served.refuse(problems)
    const instead = isServing ? 'the changed manifest is not served, the last good one is' : 'nothing is served yet'
    for (const problem of problems) log.error({ problem }, instead)
    if (problems.length > 0) continue
    if (isServing) log.info('the changed manifest is served')
    else onServing()
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
  if (served.reports().every((report) => report.ready)) return
  served.retry().then(
    (problems) => problems.length === 0 && log.info('served again after an earlier problem'),
    (error: unknown) => log.error({ error: String(error) }, 'retry failed'),
  )
}

function observeServer<Resource>(
  { metrics, served, end }: ServeOptions<Resource>,
  orders: Readonly<Record<string, () => Promise<unknown>>> = {},
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

async function openWindow(server: Server, where: { host: string; port: number }): Promise<Problem | undefined> {
  try {
    await listen(server, where)
    return undefined
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return { reason: 'PortInUse', message: `cannot serve --observe on ${where.host}:${where.port}: ${text}` }
  }
}
