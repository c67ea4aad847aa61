import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { certificateDirectory } from '../controlplane/start.ts'
import { run } from '../host/command.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { BootServer } from '../netboot/bootserver.ts'
import { inNamespace } from '../network/build.ts'
import { type LabPlan, namespaceOf, type VmPlan } from '../plan.ts'
import { writeGuestFiles } from '../vm/guestfiles.ts'
import { Vm, type VmListener } from '../vm/vm.ts'
import { machineArchive } from './initramfs.ts'
import { shellSocket } from './serial-shell.ts'

export interface QemuImage {
  readonly kernel: string
  readonly initramfs: string
}

export const kernelArguments = 'console=ttyS0 quiet loglevel=3 panic=-1'

/** A real machine with a real kernel. Its network card is a tap in the VLAN's bridge; its console is our pipe. */
export function startQemuVm(ledger: Ledger, lab: LabPlan, vm: VmPlan, image: QemuImage, listener: VmListener): Vm {
  const own = machineArchive(guestDirectory(ledger, lab, vm))
  const initramfs = join(ledger.directory, `${vm.name}.cpio`)
  writeFileSync(initramfs, Buffer.concat([readFileSync(image.initramfs), own]))
  // Without the firmware of the card: this machine has its kernel already.
  const kernel = ['-kernel', image.kernel, '-initrd', initramfs, '-append', kernelArguments]
  return startMachine(ledger, lab, vm, [...kernel, ...networkCard(vm, 'romfile=')], listener)
}

/** A machine with nothing but a network card, whose firmware (iPXE) boots what DHCP tells it. */
export function startPxeVm(ledger: Ledger, lab: LabPlan, vm: VmPlan, server: BootServer, listener: VmListener): Vm {
  server.offer(vm.name, guestDirectory(ledger, lab, vm))
  // `graphics=off` makes firmware print to the console that the kernel uses afterwards.
  return startMachine(ledger, lab, vm, ['-machine', 'graphics=off', ...networkCard(vm, 'bootindex=1')], listener)
}

/** Its card's other end; it outlives the machine, as a port of a switch does. */
export async function addTap(ledger: Ledger, vlan: string, name: string): Promise<void> {
  ledger.record({ kind: 'interface', namespace: vlan, name })
  await run('ip', ['-n', vlan, '-batch', '-'], {
    input: `tuntap add name ${name} mode tap\nlink set ${name} master br0 up\n`,
    diesWithUs: true,
  })
}

function guestDirectory(ledger: Ledger, lab: LabPlan, vm: VmPlan): string {
  const directory = join(ledger.directory, vm.name)
  writeGuestFiles(directory, lab, vm, certificateDirectory(ledger))
  return directory
}

function networkCard(vm: VmPlan, boot: string): string[] {
  return [
    ...['-netdev', `tap,id=vlan,ifname=${vm.name},script=no,downscript=no`],
    ...['-device', `virtio-net-pci,netdev=vlan,mac=${vm.mac},${boot}`],
  ]
}

/** Emulated in full (tcg): /dev/kvm may be there and not work, and the few seconds matter less than being the same everywhere. */
function startMachine(ledger: Ledger, lab: LabPlan, vm: VmPlan, more: readonly string[], listener: VmListener): Vm {
  const qemu = [
    'qemu-system-x86_64',
    ...['-nodefaults', '-no-user-config', '-no-reboot', '-display', 'none'],
    ...['-accel', 'tcg', '-cpu', 'max', '-m', '256'],
    ...['-serial', 'stdio', '-serial', `unix:${shellSocket(ledger.directory, vm.name)},server=on,wait=off`],
    ...['-monitor', 'none'],
    ...more,
  ]
  return Vm.start(
    ledger,
    vm,
    {
      what: vm.name,
      command: inNamespace(namespaceOf(lab, 'vlan'), qemu),
      logFile: join(ledger.directory, `${vm.name}.log`),
      graceMs: 0,
    },
    listener,
  )
}
