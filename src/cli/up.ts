import { Command, Option } from 'commander'
import { createHostPreparation } from '../controllers/standalone/host.ts'
import { readInfraFile } from '../controllers/standalone/infrafile.ts'
import { serve } from '../controllers/standalone/serve.ts'
import { Standalone } from '../controllers/standalone/standalone.ts'
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

interface UpOptions {
  readonly file: string
  readonly stateDir: string
  readonly interface?: string
  readonly addAddresses: boolean
  readonly podAddress: readonly string[]
  readonly observe?: Endpoint
  readonly logLevel: LogLevel
  readonly drain: number
}

const examples = `
The host needs a leg on the VLAN: an interface with the addresses the Infra gives to DHCP, DNS and proxy.
The control plane is reached at infraComponents.proxy.targets, *.apps at appsIngress.address.

Examples:
  oooi up -f infra.yaml
  oooi up -f infra.yaml --interface vlan100 --add-addresses      (adds missing addresses, removes them at the end)
  oooi up -f infra.yaml --pod-address 10.0.0.5                   (second DNS view and pod-side proxy there)

Without root, the ports below 1024 need one of:
  sysctl -w net.ipv4.ip_unprivileged_port_start=0
  setcap cap_net_bind_service=+ep <the node binary>`

export function upCommand(terminal: Terminal): Command {
  return new Command('up')
    .description('serve a VLAN from this host: DHCP, DNS and proxy of one Infra in one process, without Kubernetes')
    .requiredOption(
      '-f, --file <infra.yaml>',
      'the Infra; a change of the file is served at once, a mistake in it changes nothing',
    )
    .addOption(stateDirOption(terminal))
    .addOption(
      new Option('--interface <name>', 'the interface on the VLAN (default: the one that holds its addresses)'),
    )
    .option('--add-addresses', 'add missing addresses to the interface; needs the right to', false)
    .addOption(podAddressOption())
    .addOption(observeOption())
    .addOption(drainOption())
    .addOption(logLevelOption())
    .addHelpText('after', examples)
    .action((options: UpOptions) => up(terminal, options))
}

async function up(terminal: Terminal, options: UpOptions): Promise<void> {
  const log = createLogger(options.logLevel, terminal.stderr)
  const metrics = new Metrics()
  const host = createHostPreparation({ interfaceName: options.interface, mayAdd: options.addAddresses, log })
  const served = new Standalone({
    context: { log, metrics, now: Date.now, podAddresses: options.podAddress },
    stateDir: options.stateDir,
    prepareHost: host.prepare,
  })
  const problems = await serve({
    source: new FileSource({ path: options.file, parse: (text, file) => readInfraFile(text, file, log) }),
    served,
    stateDir: options.stateDir,
    observe: options.observe,
    metrics,
    log,
    stop: terminal.stop,
    drainMs: options.drain,
    onServing: () => log.info({ components: served.reports().map((report) => report.name) }, 'serving'),
  })
  await host.restore()
  reportProblems(terminal, problems)
}
