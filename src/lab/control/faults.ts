import type { HostedControlPlane } from '../controlplane/start.ts'
import { run } from '../host/command.ts'
import type { Machines } from '../machines.ts'
import type { BootServer } from '../netboot/bootserver.ts'
import { type LabPlan, namespaceOf } from '../plan.ts'
import type { Fault, FaultName } from './fault.ts'

export interface BreakableParts {
  readonly plan: LabPlan
  readonly controlPlane: HostedControlPlane
  readonly machines: Machines
  /** Where there are machines that boot from the network. */
  readonly bootServer?: Promise<BootServer | undefined>
}

/** What is not oooi's: the hosted cluster, the resolver of the management network, machines and what they boot. The same in every lab. */
export type SurroundingFault = Exclude<FaultName, 'dhcp' | 'dns' | 'proxy'>

export function surroundingFaults(parts: BreakableParts, vm: string): Record<SurroundingFault, Fault> {
  const { plan, controlPlane, machines, bootServer } = parts
  const service = (name: string): Pick<Fault, 'inflict' | 'mend'> => ({
    inflict: () => controlPlane.order(`close ${name}`),
    mend: () => controlPlane.order(`open ${name}`),
  })
  return {
    api: {
      does: `the hosted cluster's API server at ${plan.pods.api} is ended`,
      survives: 'addresses, names, ignition, oauth, konnectivity and *.apps; streams that are open',
      heals: 'the next connection through the proxy finds it again; nothing has to be done',
      ...service('api'),
    },
    upstream: {
      does: `the resolver that other names are forwarded to, ${plan.pods.resolver}, is ended`,
      survives: "every name of the cluster itself: they are oooi's own",
      heals: 'oooi goes on asking it, and forwards again as soon as it answers',
      ...service('resolver'),
    },
    vip: {
      does: `the address of *.apps, ${plan.vlan.apps}, is taken away, as when no node announces it`,
      survives: 'everything but *.apps',
      heals: 'as soon as somebody has the address again',
      ...address(namespaceOf(plan, 'apps'), 'eth0', `${plan.vlan.apps}/${plan.vlan.prefixLength}`),
    },
    vm: {
      does: `${vm} is switched off without a word`,
      survives: 'all other VMs; its lease and its name stay until the lease ends',
      heals: 'it is switched on, and gets the address it had',
      inflict: () => machines.powerOff(vm),
      mend: async () => void (await machines.boot(vm)),
    },
    pxe: {
      does: `${plan.boot?.file} is taken from the boot server ${plan.boot?.server}, and ${vm} is switched off and on`,
      survives: `all other VMs, and all of oooi: ${vm} gets its address and is told what to boot`,
      heals: 'the file is put back, and the VM is switched off and on',
      inflict: async () => {
        ;(await bootServer)?.lose()
        await machines.restart(vm)
      },
      mend: async () => {
        ;(await bootServer)?.restore()
        await machines.restart(vm)
      },
    },
  }
}

/** The lab without Kubernetes: each component loses its address, as when somebody reconfigures the host's interface. */
export function standaloneFaults(parts: BreakableParts, vm: string): Record<FaultName, Fault> {
  const { vlan } = parts.plan
  const component = (name: 'dhcp' | 'dns' | 'proxy', survives: string): Fault => ({
    does: `the address of oooi's ${name}, ${vlan[name]}, is taken from the VLAN interface of the host`,
    survives,
    heals:
      'when the address is back, the sockets that waited for it serve on; with --add-addresses oooi adds it itself',
    ...address(namespaceOf(parts.plan, 'oooi'), 'net1', `${vlan[name]}/${vlan.prefixLength}`),
  })
  return {
    dhcp: component('dhcp', 'everything of a VM that has its lease; only new leases and renewals wait'),
    dns: component('dns', 'what needs no name: addresses, open streams, the API by address'),
    proxy: component('proxy', 'addresses and names, *.apps; open streams wait and go on afterwards'),
    ...surroundingFaults(parts, vm),
  }
}

function address(namespace: string, device: string, cidr: string): Pick<Fault, 'inflict' | 'mend'> {
  const ip = async (verb: string): Promise<void> => {
    await run('ip', ['-n', namespace, 'address', verb, cidr, 'dev', device])
  }
  return { inflict: () => ip('del'), mend: () => ip('add') }
}
