import type { Command } from 'commander'
import type { MissingAddresses } from '../controllers/standalone/addresses.ts'
import { type Ending, type Served, serve } from '../controllers/standalone/serve.ts'
import type { EngineContext } from '../engines/engine.ts'
import { ProcessSockets } from '../engines/sockets/process-sockets.ts'
import { inheritedSockets } from '../runtime/host/inherited-sockets.ts'
import { journalName, logDestination } from '../runtime/observe/destination.ts'
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
    .addOption(podAddressOption(engine))
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

interface Surroundings {
  readonly context: EngineContext
  readonly sockets: ProcessSockets
}

/**
 * Serves until the terminal says stop, or says why it cannot. `isReplaceable`: another process may take over one day, and
 * needs to listen beside this one for a moment.
 */
export async function runService<Resource>(
  terminal: Terminal,
  options: ServingOptions & { readonly isReplaceable?: boolean },
  create: (surroundings: Surroundings) => Service<Resource>,
): Promise<void> {
  const { inherited } = terminal
  if (!inherited.ok) return reportProblems(terminal, inherited.problems)
  const passed = inheritedSockets(inherited.value.filter(({ name }) => name !== journalName))
  if (!passed.ok) return reportProblems(terminal, passed.problems)
  const sockets = new ProcessSockets(passed.value, options.isReplaceable ?? false)
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
  } = create({
    context: { log, metrics, now: Date.now, podAddresses: options.podAddress, sockets: sockets.of('oooi') },
    sockets,
  })
  const problems = await serve({
    source,
    served,
    stateDir: options.stateDir,
    observe: options.observe,
    metrics,
    sockets,
    log,
    stop: terminal.stop,
    drainMs: options.drain,
    staysWithoutAny,
    replace,
    end,
    onServing: () => {
      const components = served.reports().flatMap(({ name, serving }) => (serving ? [name] : []))
      log.info({ components }, 'serving')
      for (const { fd, name, place } of sockets.unwanted) {
        log.warn({ fd, name, ...place }, 'nothing that is served listens on this socket that was passed to us')
      }
    },
  })
  reportProblems(terminal, problems)
}
