import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { caFile } from '../controlplane/certificates.ts'
import { type LabPlan, serverMacs, type VmPlan } from '../plan.ts'
import { bootSteps } from './steps.ts'

export const guestScripts = join(import.meta.dirname, '..', 'guest')

/** What a machine finds in /etc/oooi-lab: who it is, what it shall find, whom to trust, and its scripts. */
export function writeGuestFiles(directory: string, plan: LabPlan, vm: VmPlan, certificates: string): void {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'vm.env'), guestEnvironment(plan, vm))
  copyFileSync(join(certificates, caFile), join(directory, caFile))
  for (const script of ['boot.sh', 'udhcpc.sh']) {
    copyFileSync(join(guestScripts, script), join(directory, script))
    chmodSync(join(directory, script), 0o755)
  }
}

/** Whom a machine on the VLAN talks to, as `address=mac`. */
function knownNeighbours({ vlan }: LabPlan): string {
  const pairs = [vlan.dhcp, vlan.dns, vlan.proxy].map((address) => `${address}=${serverMacs.oooi}`)
  return [...pairs, `${vlan.apps}=${serverMacs.apps}`, `${vlan.gateway}=${serverMacs.gateway}`].join(' ')
}

export function guestEnvironment(plan: LabPlan, vm: VmPlan): string {
  const variables: Record<string, string> = {
    OOOI_VM: vm.name,
    OOOI_CLIENT: vm.client,
    OOOI_ADDRESS: vm.address ?? '',
    OOOI_PREFIX_LENGTH: String(plan.vlan.prefixLength),
    OOOI_GATEWAY: plan.vlan.gateway,
    OOOI_DNS: plan.vlan.dns,
    OOOI_PROXY: plan.vlan.proxy,
    OOOI_DOMAIN: plan.domain,
    OOOI_ELSEWHERE: plan.elsewhere.name,
    OOOI_ELSEWHERE_ADDRESS: plan.elsewhere.address,
    OOOI_POD_ADDRESS: plan.pods.api,
    OOOI_PATIENCE: plan.crowded ? '60' : '15',
    OOOI_NEIGHBOURS: plan.crowded ? knownNeighbours(plan) : '',
    OOOI_BOOT_SERVER: plan.boot?.server ?? '',
    OOOI_BOOT_FILE: plan.boot?.file ?? '',
    OOOI_STEPS: bootSteps.slice(1).join(' '),
  }
  return Object.entries(variables)
    .map(([name, value]) => `${name}='${value}'\n`)
    .join('')
}
