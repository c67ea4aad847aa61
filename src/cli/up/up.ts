import { mkdirSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import type { MissingAddresses } from '../../controllers/standalone/addresses.ts'
import { readAttachedInfra } from '../../controllers/standalone/attached-files.ts'
import { Fleet } from '../../controllers/standalone/fleet.ts'
import { createHostPreparation, type HostPreparation } from '../../controllers/standalone/host.ts'
import { readInfraFile, type Warn } from '../../controllers/standalone/infrafile.ts'
import { Standalone } from '../../controllers/standalone/standalone.ts'
import { createLogger, type Logger } from '../../runtime/observe/log.ts'
import { DirectorySource } from '../../runtime/source/directory.ts'
import { FileSource } from '../../runtime/source/file.ts'
import { addDnsOptions, type DnsOptions, programOf } from '../dns.ts'
import { type AddressOptions, addAddressOptions } from '../options.ts'
import { addEnvoyOptions, type EnvoyOptions, envoyChoices } from '../proxy.ts'
import { addServingOptions, runService, type ServingOptions } from '../serving.ts'
import type { Terminal } from '../terminal.ts'
import { checkUp } from './check.ts'
import { writeSocketUnits } from './socket-units.ts'

interface UpOptions extends ServingOptions, DnsOptions, EnvoyOptions, AddressOptions {
  readonly file: string
  readonly check: boolean
  readonly replace: boolean
  readonly socketUnits?: string | true
}

const examples = `
The host needs a leg on the VLAN: an interface with the addresses the Infra gives to DHCP, DNS and proxy.
The control plane is reached at infraComponents.proxy.targets, *.apps at appsIngress.address.

Examples:
  oooi up -f infra.yaml
  oooi up -f infra.yaml --interface vlan100 --add-addresses      (adds missing addresses, removes them at the end)
  oooi up -f infra.yaml --pod-address 10.0.0.5                   (second DNS view and pod-side proxy there)
  oooi up -f /etc/oooi/infra.d                                   (one Infra per file; each has its own leases)
  oooi up -f two-clusters.yaml                                   (an Infra and an InfraClusterAttachment per cluster)
  oooi up -f infra.yaml --check                                  (is it right, and is the host ready? serves nothing)
  oooi up -f infra.yaml --replace                                (a new version takes over; nothing is lost, open connections go on)
  oooi up -f /etc/oooi/infra.d --socket-units                    (systemd units that listen for it; a directory: written there)

Sockets that systemd has opened (LISTEN_FDS) are used where an address and port of them is to be served; nothing needs a
capability then, and what comes while oooi is down waits. Other places are bound as ever.

Without root and without such sockets, the ports below 1024 need one of:
  sysctl -w net.ipv4.ip_unprivileged_port_start=0
  setcap cap_net_bind_service=+ep <the node binary>`

export function upCommand(terminal: Terminal): Command {
  const command = new Command('up')
    .description(
      'serve a VLAN from this host: DHCP, DNS and proxy of an Infra, or of several, in one process, without Kubernetes',
    )
    .requiredOption(
      '-f, --file <path>',
      'the Infra, or a directory with one in each file; a change is served at once, a mistake in it changes nothing',
    )
  addAddressOptions(command)
    .option('--check', 'say what is wrong with the manifests and the host, and end', false)
    .option('--replace', 'take over from the oooi that has the state directory; its open connections end there', false)
    .addOption(
      new Option(
        '--socket-units [directory]',
        'print the systemd socket units for these Infras, or write them, and end',
      ).conflicts(['check', 'replace']),
    )
  return addServingOptions(addEnvoyOptions(addDnsOptions(command)), terminal)
    .addHelpText('after', examples)
    .action((options: UpOptions) => up(terminal, options))
}

async function up(terminal: Terminal, options: UpOptions): Promise<void> {
  const isDirectory = await stat(options.file).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (options.check) {
    const log = createLogger('silent', terminal.stderr)
    return checkUp(terminal, { ...options, isDirectory }, hostFor(options, log))
  }
  if (options.socketUnits !== undefined) {
    const { file, podAddress, socketUnits } = options
    const host = hostFor(options, createLogger('silent', terminal.stderr))
    return writeSocketUnits(terminal, { file, podAddress, socketUnits }, isDirectory, host)
  }
  return isDirectory ? upDirectory(terminal, options) : upFile(terminal, options)
}

/** The programs that proxy or answer instead of our own engines. */
function programsOf(options: UpOptions) {
  return { coredns: programOf(options), envoy: envoyChoices(options) }
}

function hostFor(options: UpOptions, log: Logger): HostPreparation {
  return createHostPreparation({ interfaceName: options.interface, mayAdd: options.addAddresses, log })
}

function warnIn(log: Logger): Warn {
  return ({ message, field, at }) => log.warn({ ...at, field }, message)
}

function upFile(terminal: Terminal, options: UpOptions): Promise<void> {
  return runService(terminal, { ...options, isReplaceable: true }, ({ context, sockets }) => {
    const host = hostFor(options, context.log)
    const programs = programsOf(options)
    return {
      source: new FileSource({
        path: options.file,
        parse: (text, file) => readAttachedInfra(text, file, warnIn(context.log)),
      }),
      served: new Standalone({ context, sockets: sockets.of('oooi'), stateDir: options.stateDir, host, ...programs }),
      ...(options.replace ? { replace: { onInherit: host.inherit } } : {}),
    }
  })
}

/** If it is not, whoever keeps something there says why; the other Infras are served all the same. */
function makeIfPossible(stateDir: string): void {
  try {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  } catch {
    // A full disk, a file of that name.
  }
}

/** Each Infra has the part of the state directory that bears its name, and its name as a label of its metrics. */
function upDirectory(terminal: Terminal, options: UpOptions): Promise<void> {
  return runService(terminal, { ...options, isReplaceable: true }, ({ context, sockets }) => {
    const inherited: MissingAddresses[] = []
    const warn = warnIn(context.log)
    const served = new Fleet(
      (name) => {
        const stateDir = join(options.stateDir, name)
        makeIfPossible(stateDir)
        const own = {
          ...context,
          log: context.log.child({ infra: name }),
          metrics: context.metrics.labelled('infra', name),
        }
        const host = hostFor(options, own.log)
        const programs = programsOf(options)
        host.inherit(inherited.splice(0))
        return new Standalone({ context: own, sockets: sockets.of(name), stateDir, host, ...programs })
      },
      warn,
      (problem, infra) => context.log.error({ infra, problem }, 'not served; what was served before goes on'),
      options.podAddress,
    )
    return {
      source: new DirectorySource({
        path: options.file,
        parse: (text, file) => readInfraFile(text, file, warn),
      }),
      served,
      ...(options.replace
        ? { replace: { onInherit: (added: readonly MissingAddresses[]) => void inherited.push(...added) } }
        : {}),
    }
  })
}
