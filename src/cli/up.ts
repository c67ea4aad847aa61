import { Command, Option } from 'commander'
import { createHostPreparation } from '../controllers/standalone/host.ts'
import { readInfraFile } from '../controllers/standalone/infrafile.ts'
import { Standalone } from '../controllers/standalone/standalone.ts'
import { FileSource } from '../runtime/source/file.ts'
import { addDnsOptions, type DnsOptions, programOf } from './dns.ts'
import { addServingOptions, runService, type ServingOptions } from './serving.ts'
import type { Terminal } from './terminal.ts'

interface UpOptions extends ServingOptions, DnsOptions {
  readonly file: string
  readonly interface?: string
  readonly addAddresses: boolean
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
  const command = new Command('up')
    .description('serve a VLAN from this host: DHCP, DNS and proxy of one Infra in one process, without Kubernetes')
    .requiredOption(
      '-f, --file <infra.yaml>',
      'the Infra; a change of the file is served at once, a mistake in it changes nothing',
    )
    .addOption(
      new Option('--interface <name>', 'the interface on the VLAN (default: the one that holds its addresses)'),
    )
    .option('--add-addresses', 'add missing addresses to the interface; needs the right to', false)
  return addServingOptions(addDnsOptions(command), terminal)
    .addHelpText('after', examples)
    .action((options: UpOptions) =>
      runService(terminal, options, (context) => {
        const { log } = context
        const host = createHostPreparation({ interfaceName: options.interface, mayAdd: options.addAddresses, log })
        return {
          source: new FileSource({ path: options.file, parse: (text, file) => readInfraFile(text, file, log) }),
          served: new Standalone({ context, stateDir: options.stateDir, host, coredns: programOf(options) }),
        }
      }),
    )
}
