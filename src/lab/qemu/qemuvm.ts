import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { certificateDirectory } from '../controlplane/start.ts'
import { run } from '../host/command.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { inNamespace } from '../network/build.ts'
import { type LabPlan, namespaceOf, type VmPlan } from '../plan.ts'
import { writeGuestFiles } from '../vm/guestfiles.ts'
import type { Step } from '../vm/steps.ts'
import { Vm } from '../vm/vm.ts'
import { machineInitramfs } from './initramfs.ts'

export interface QemuImage {
  readonly kernel: string
  readonly initramfs: string
}

/** A real machine with a real kernel. Its network card is a tap in the VLAN's bridge; its console is our pipe. */
export function startQemuVm(
  ledger: Ledger,
  lab: LabPlan,
  vm: VmPlan,
  image: QemuImage,
  onStep: (step: Step) => void,
): Vm {
  const directory = join(ledger.directory, vm.name)
  writeGuestFiles(directory, lab, vm, certificateDirectory(ledger))
  const initramfs = join(ledger.directory, `${vm.name}.cpio`)
  writeFileSync(initramfs, machineInitramfs(image.initramfs, directory))
  const vlan = namespaceOf(lab, 'vlan')
  return Vm.start(
    ledger,
    vm,
    {
      what: vm.name,
      command: inNamespace(vlan, qemuCommand(vm, image.kernel, initramfs)),
      logFile: join(ledger.directory, `${vm.name}.log`),
      graceMs: 0,
    },
    onStep,
  )
}

/** Its card's other end; it outlives the machine, as a port of a switch does. */
export async function addTap(ledger: Ledger, vlan: string, name: string): Promise<void> {
  ledger.record({ kind: 'interface', namespace: vlan, name })
  await run('ip', ['-n', vlan, '-batch', '-'], {
    input: `tuntap add name ${name} mode tap\nlink set ${name} master br0 up\n`,
  })
}

/** Emulated in full (tcg): /dev/kvm may be there and not work, and the few seconds matter less than being the same everywhere. */
function qemuCommand(vm: VmPlan, kernel: string, initramfs: string): string[] {
  return [
    'qemu-system-x86_64',
    ...['-nodefaults', '-no-user-config', '-no-reboot', '-display', 'none'],
    ...['-accel', 'tcg', '-cpu', 'max', '-m', '256'],
    ...['-serial', 'stdio', '-monitor', 'none'],
    ...['-kernel', kernel, '-initrd', initramfs, '-append', 'console=ttyS0 quiet loglevel=3 panic=-1'],
    ...['-netdev', `tap,id=vlan,ifname=${vm.name},script=no,downscript=no`],
    ...['-device', `virtio-net-pci,netdev=vlan,mac=${vm.mac},romfile=`],
  ]
}
