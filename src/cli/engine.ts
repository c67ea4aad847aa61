import { Command } from 'commander'
import { parseDhcpServerFile, parseDnsServerFile, parseProxyServerFile } from '../api/manifest.ts'
import { SingleEngine } from '../controllers/standalone/single.ts'
import type { Result } from '../core/result.ts'
import { createDhcpEngine } from '../engines/dhcp/engine.ts'
import { createDnsEngine } from '../engines/dns/engine.ts'
import type { Engine, EngineContext, EngineStatus } from '../engines/engine.ts'
import { createProxyEngine } from '../engines/proxy/engine.ts'
import { FileSource } from '../runtime/source/file.ts'
import { addServingOptions, runService, type ServingOptions } from './serving.ts'
import type { Terminal } from './terminal.ts'

interface EngineOptions extends ServingOptions {
  readonly config: string
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
  const command = new Command(engine.name)
    .description(`one engine alone: ${engine.does}`)
    .requiredOption('--config <manifest.yaml>', `the ${engine.kind} to serve; a change of the file is served at once`)
  return addServingOptions(command, terminal, engine.name)
    .addHelpText(
      'after',
      `\nExample:\n  oooi render -f infra.yaml shows a ${engine.kind} to start from\n  oooi ${engine.name} --config ${engine.name}.yaml`,
    )
    .action((options: EngineOptions) =>
      runService(terminal, options, (context) => ({
        source: new FileSource({ path: options.config, parse: engine.parse }),
        served: new SingleEngine(engine.name, () => engine.create(context, options.stateDir)),
      })),
    )
}
