import { Command } from 'commander'
import { parseDhcpServerFile, parseDnsServerFile, parseProxyServerFile } from '../api/manifest.ts'
import { serve } from '../controllers/standalone/serve.ts'
import { SingleEngine } from '../controllers/standalone/single.ts'
import type { Result } from '../core/result.ts'
import { createDhcpEngine } from '../engines/dhcp/engine.ts'
import { createDnsEngine } from '../engines/dns/engine.ts'
import type { Engine, EngineContext, EngineStatus } from '../engines/engine.ts'
import { createProxyEngine } from '../engines/proxy/engine.ts'
import { createLogger, type LogLevel } from '../runtime/observe/log.ts'
import { Metrics } from '../runtime/observe/metrics.ts'
import { FileSource } from '../runtime/source/file.ts'
import {
  drainOption,
  type Endpoint,
  logLevelOption,
  observeOption,
  podAddressOption,
  stateDirOption,
} from './options.ts'
import { reportProblems, type Terminal } from './terminal.ts'

interface EngineOptions {
  readonly config: string
  readonly stateDir: string
  readonly podAddress: readonly string[]
  readonly observe?: Endpoint
  readonly logLevel: LogLevel
  readonly drain: number
}

/** One engine as a command: its kind, how a manifest of it is read, how the engine is made. */
interface EngineCommand<Resource, Status extends EngineStatus> {
  readonly name: string
  readonly kind: string
  readonly does: string
  readonly parse: (text: string, file: string) => Result<Resource>
  readonly create: (context: EngineContext, stateDir: string) => Engine<Resource, Status>
}

export function engineCommands(terminal: Terminal): Command[] {
  return [
    engineCommand(terminal, {
      name: 'dhcp',
      kind: 'DHCPServer',
      does: 'give addresses to the machines of a VLAN',
      parse: parseDhcpServerFile,
      create: (context, stateDir) => createDhcpEngine({ ...context, stateDir }),
    }),
    engineCommand(terminal, {
      name: 'dns',
      kind: 'DNSServer',
      does: 'answer the names of a hosted cluster, forward all others',
      parse: parseDnsServerFile,
      create: (context) => createDnsEngine(context),
    }),
    engineCommand(terminal, {
      name: 'proxy',
      kind: 'ProxyServer',
      does: 'pass TLS through to the control plane by its SNI name',
      parse: parseProxyServerFile,
      create: (context) => createProxyEngine(context),
    }),
  ]
}

function engineCommand<Resource, Status extends EngineStatus>(
  terminal: Terminal,
  engine: EngineCommand<Resource, Status>,
): Command {
  return new Command(engine.name)
    .description(`one engine alone: ${engine.does}`)
    .requiredOption('--config <manifest.yaml>', `the ${engine.kind} to serve; a change of the file is served at once`)
    .addOption(stateDirOption(terminal, engine.name))
    .addOption(podAddressOption())
    .addOption(observeOption())
    .addOption(drainOption())
    .addOption(logLevelOption())
    .addHelpText(
      'after',
      `\nExample:\n  oooi render -f infra.yaml shows a ${engine.kind} to start from\n  oooi ${engine.name} --config ${engine.name}.yaml`,
    )
    .action((options: EngineOptions) => runEngine(terminal, engine, options))
}

async function runEngine<Resource, Status extends EngineStatus>(
  terminal: Terminal,
  engine: EngineCommand<Resource, Status>,
  options: EngineOptions,
): Promise<void> {
  const log = createLogger(options.logLevel, terminal.stderr)
  const metrics = new Metrics()
  const context: EngineContext = { log, metrics, now: Date.now, podAddresses: options.podAddress }
  const problems = await serve({
    source: new FileSource({ path: options.config, parse: engine.parse }),
    served: new SingleEngine(engine.name, () => engine.create(context, options.stateDir)),
    stateDir: options.stateDir,
    observe: options.observe,
    metrics,
    log,
    stop: terminal.stop,
    drainMs: options.drain,
    onServing: () => log.info({ components: [engine.name] }, 'serving'),
  })
  reportProblems(terminal, problems)
}
