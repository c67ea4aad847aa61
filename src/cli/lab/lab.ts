import { Command, Option } from 'commander'
import { checkHost } from '../../lab/host/requirements.ts'
import { isOwnRoot } from '../../lab/host/userns.ts'
import { type Lab, withLab } from '../../lab/lab.ts'
import { maxNamespaceVms, maxPxeVms, maxQemuVms, namespaceOf, type VmCounts } from '../../lab/plan.ts'
import { exitCode } from '../exit.ts'
import { outputOption, parseNumber, stayOptions } from '../options.ts'
import { textTable } from '../table.ts'
import { reportProblems, type Terminal } from '../terminal.ts'
import { labControlCommands } from './control.ts'
import { runLab, untilStopped } from './frame.ts'
import { allBooted, labDocument, labFailures, labTable } from './report.ts'
import { labOfUser } from './user.ts'

interface LabCommandOptions {
  readonly once?: true
  readonly keep?: true
  readonly vms: number
  readonly qemuVms: number
  readonly pxeVms: number
  readonly qemu: boolean
  readonly output: string
}

const more = `
A VLAN, a pod network, a control plane with its own CA and VMs, all out of network namespaces; in the middle oooi as an
ordinary user. Every VM boots through it: address, hostname, resolver, ignition, API with and without SNI, a
konnectivity stream, *.apps. Nothing of it touches the network of this machine, and nothing is left of it.

Without root it runs in a user namespace, where the kernel allows that: oooi then has no capabilities instead of another
user, and there is a QEMU VM if everybody may open /dev/net/tun; the other commands find it for the same user.

Examples:
  oooi lab                    watch it, look around, leave with Ctrl-C
  oooi lab --once             exit 0 only if every VM booted
  oooi lab --vms 20 --no-qemu -o json
  oooi lab --pxe-vms 1        with a VM that boots from the network
  oooi lab break dns          in another terminal: what still works, what oooi says
  oooi lab heal`

export function labCommand(terminal: Terminal): Command {
  const command = new Command('lab')
    .description('boot VMs through oooi on this machine, with no Kubernetes')
    .enablePositionalOptions()
    .addOption(
      new Option('--vms <number>', 'VMs made of namespaces; dhclient, udhcpc and dhcpcd in turn')
        .argParser((text) => parseNumber(text, 1, maxNamespaceVms))
        .default(3),
    )
    .addOption(
      new Option('--qemu-vms <number>', 'VMs with a kernel of their own, in QEMU')
        .argParser((text) => parseNumber(text, 0, maxQemuVms))
        .default(1),
    )
    .addOption(new Option('--no-qemu', 'the same as --qemu-vms 0').conflicts(['qemuVms', 'pxeVms']))
    .addOption(
      new Option('--pxe-vms <number>', 'VMs in QEMU with nothing but a network card: they boot by options 66 and 67')
        .argParser((text) => parseNumber(text, 0, maxPxeVms))
        .default(0),
    )
    .addOption(outputOption())
    .addHelpText('after', more)
    .action((options: LabCommandOptions, self: Command) => lab(terminal, options, self))
  for (const option of stayOptions()) command.addOption(option)
  for (const control of labControlCommands(terminal)) command.addCommand(control)
  return command
}

async function lab(terminal: Terminal, options: LabCommandOptions, self: Command): Promise<void> {
  const host = checkHost()
  if (!host.ok) return reportProblems(terminal, host.problems)
  if (terminal.userId !== 0) return labOfUser(terminal, self, countsOf(options))
  const json = options.output === 'json'
  const stays = options.keep === true || (terminal.interactive && !options.once && !json)
  await runLab(terminal, json, (frame) =>
    withLab({ ...countsOf(options), ...frame }, async (running) => {
      const reports = await running.bootAll()
      terminal.exitCode = allBooted(reports) ? exitCode.ok : exitCode.failed
      terminal.stdout.write(json ? `${JSON.stringify(labDocument(reports))}\n` : `\n${labTable(reports)}\n`)
      terminal.stderr.write(labFailures(reports))
      if (!stays) return
      if (!json) terminal.stdout.write(lookAround(running))
      await untilStopped(terminal)
    }),
  )
}

function countsOf({ vms, qemu, qemuVms, pxeVms }: LabCommandOptions): VmCounts {
  return { namespaceVms: vms, qemuVms: qemu ? qemuVms : 0, pxeVms }
}

function lookAround({ plan, oooi, directory }: Lab): string {
  const enter = (what: string): string => `nsenter --net=/run/netns/${namespaceOf(plan, what)}`
  const own = isOwnRoot()
  const orders = [
    ['  break something', 'bin/oooi lab break dns; bin/oooi lab heal'],
    ['  a boot, packet by packet', 'bin/oooi lab trace worker-1'],
    ['  a shell on a VM', 'bin/oooi lab shell worker-1'],
  ]
  if (own) {
    return `The lab stays up until Ctrl-C. In another terminal, as the same user:\n${textTable(orders)}`
  }
  const commands = textTable([
    ...orders,
    ['  what oooi serves', `bin/oooi status --state-dir ${oooi.stateDir}`],
    ['  who has which address', `bin/oooi leases --state-dir ${oooi.stateDir}`],
    ['  a name as a VM sees it', `${enter('vlan')} dig @${plan.vlan.dns} api.${plan.domain}`],
    ['  a name as a pod sees it', `${enter('control')} dig @${plan.pods.oooi} api.${plan.domain}`],
    ['  packets on the VLAN', `${enter('oooi')} tcpdump -ni net1`],
    ['  change what is served', `edit ${oooi.infraFile}`],
    ['  logs', `ls ${directory}`],
  ])
  return `The lab stays up until Ctrl-C. In another terminal, as root:\n${commands}`
}
