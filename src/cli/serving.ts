import type { Command } from 'commander'
import type { MissingAddresses } from '../controllers/standalone/addresses.ts'
import { type Ending, type Served, serve } from '../controllers/standalone/serve.ts'
import type { EngineContext } from '../engines/engine.ts'
import { logDestination } from '../runtime/observe/destination.ts'
import { createLogger, type LogLevel } from '../runtime/observe/log.ts'
import { Metrics } from '../runtime/observe/metrics.ts'
import type { ResourceSource } from '../runtime/source/source.ts'
import {
  drainOption,
  type Endpoint,
  logLevelOption,
  observeOption,
  podAddressOption,
  stateDirOption,
} from './options.ts'
import { reportProblems, type Terminal } from './terminal.ts'

/** What all commands that serve until they are stopped have in common. */
export interface ServingOptions {
  readonly stateDir: string
  readonly podAddress: readonly string[]
  readonly observe?: Endpoint
  readonly drain: number
  readonly logLevel: LogLevel
}

export function addServingOptions(command: Command, terminal: Terminal, engine?: string): Command {
  return command
    .addOption(stateDirOption(terminal, engine))
    .addOption(podAddressOption())
    .addOption(observeOption())
    .addOption(drainOption())
    .addOption(logLevelOption())
}

interface Service<Resource> {
  readonly source: ResourceSource<Resource>
  readonly served: Served<Resource>
  /** Go on although nothing can be served yet; see `serve`. */
  readonly staysWithoutAny?: boolean
  /** Take over from the process that has the state directory; see `serve`. */
  readonly replace?: { readonly onInherit: (addresses: readonly MissingAddresses[]) => void }
  /** Where the end of this process may be the end of more. */
  readonly end?: Ending
}

const lostLines = { name: 'oooi_log_lines_lost_total', help: 'Lines of the log that nobody took.' }

/** Serves until the terminal says stop, or says why it cannot. */
export async function runService<Resource>(
  terminal: Terminal,
  options: ServingOptions,
  create: (context: EngineContext) => Service<Resource>,
): Promise<void> {
  const { inherited } = terminal
  if (!inherited.ok) return reportProblems(terminal, inherited.problems)
  const destination = logDestination({ ...terminal, identifier: 'oooi', inherited: inherited.value })
  const log = createLogger(options.logLevel, destination)
  const metrics = new Metrics()
  metrics.counter(lostLines, () => [{ value: destination.lostLines() }])
  const {
    source,
    served,
    staysWithoutAny = false,
    replace,
    end,
  } = create({ log, metrics, now: Date.now, podAddresses: options.podAddress })
  const problems = await serve({
    source,
    served,
    stateDir: options.stateDir,
    observe: options.observe,
    metrics,
    log,
    stop: terminal.stop,
    drainMs: options.drain,
    staysWithoutAny,
    replace,
    end,
    onServing: () => log.info({ components: served.reports().map((report) => report.name) }, 'serving'),
  })
  reportProblems(terminal, problems)
}
