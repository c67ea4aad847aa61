import { join } from 'node:path'
import { certificateDirectory } from '../controlplane/start.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { inNamespace } from '../network/build.ts'
import { type LabPlan, namespaceOf, type VmPlan } from '../plan.ts'
import { guestScripts, writeGuestFiles } from './guestfiles.ts'
import { Vm, type VmListener } from './vm.ts'

/**
 * A machine made of namespaces: its own network, mounts, hostname and processes. It is one PID namespace, so whatever
 * its DHCP client leaves running ends with it.
 */
export function startNamespaceVm(ledger: Ledger, lab: LabPlan, vm: VmPlan, listener: VmListener = {}): Vm {
  const directory = join(ledger.directory, vm.name)
  writeGuestFiles(directory, lab, vm, certificateDirectory(ledger))
  const fresh = ['--mount', '--uts', '--pid', '--fork', '--kill-child=KILL', '--mount-proc', '--propagation', 'slave']
  const machine = ['unshare', ...fresh, '--', '/bin/sh', join(guestScripts, 'namespace.sh'), directory]
  return Vm.start(
    ledger,
    vm,
    {
      what: vm.name,
      command: inNamespace(namespaceOf(lab, vm.name), machine),
      logFile: join(ledger.directory, `${vm.name}.log`),
      graceMs: 0,
    },
    listener,
  )
}
