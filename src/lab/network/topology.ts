import { hasOwnKernel, type LabPlan, namespaceOf, serverMacs } from '../plan.ts'
import type { Cable, NetworkShape } from './shape.ts'

/**
 * The lab's two networks. oooi is the only one with a leg in both, as its pod is in a cluster; the control plane is
 * only on the pod network, the VMs and the apps VIP only on the VLAN.
 */
export function labTopology(plan: LabPlan): NetworkShape {
  const { vlan, pods } = plan
  const vlanBridge = namespaceOf(plan, 'vlan')
  const podBridge = namespaceOf(plan, 'pods')
  const onVlan = (address: string): string => `${address}/${vlan.prefixLength}`
  const onPods = (address: string): string => `${address}/${pods.prefixLength}`
  const vmCables = plan.vms
    .filter((vm) => !hasOwnKernel(vm))
    .map(
      (vm): Cable => ({
        namespace: namespaceOf(plan, vm.name),
        interface: 'eth0',
        bridge: vlanBridge,
        port: vm.name,
        mac: vm.mac,
        // Each packet that one of them sends to all would be delivered to two hundred, and the host's queues are short.
        isolated: plan.crowded,
      }),
    )
  const bootServer: Cable[] = plan.boot
    ? [
        {
          namespace: namespaceOf(plan, 'boot'),
          interface: 'eth0',
          bridge: vlanBridge,
          port: 'boot',
          mac: serverMacs.boot,
          addresses: [onVlan(plan.boot.server)],
        },
      ]
    : []
  return {
    bridges: [
      { namespace: vlanBridge, address: onVlan(vlan.gateway), mac: serverMacs.gateway },
      { namespace: podBridge, address: onPods(pods.gateway) },
    ],
    cables: [
      {
        namespace: namespaceOf(plan, 'oooi'),
        interface: 'eth0',
        bridge: podBridge,
        port: 'oooi',
        addresses: [onPods(pods.oooi)],
        defaultGateway: pods.gateway,
      },
      {
        namespace: namespaceOf(plan, 'oooi'),
        interface: 'net1',
        bridge: vlanBridge,
        port: 'oooi',
        mac: serverMacs.oooi,
        addresses: [vlan.dhcp, vlan.dns, vlan.proxy].map(onVlan),
      },
      {
        namespace: namespaceOf(plan, 'control'),
        interface: 'eth0',
        bridge: podBridge,
        port: 'control',
        addresses: [pods.api, pods.oauth, pods.ignition, pods.konnectivity, pods.resolver].map(onPods),
        defaultGateway: pods.gateway,
      },
      {
        namespace: namespaceOf(plan, 'apps'),
        interface: 'eth0',
        bridge: vlanBridge,
        port: 'apps',
        mac: serverMacs.apps,
        addresses: [onVlan(vlan.apps)],
        defaultGateway: vlan.gateway,
      },
      ...bootServer,
      ...vmCables,
    ],
  }
}
