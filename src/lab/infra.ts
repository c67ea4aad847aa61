import { stringify } from 'yaml'
import type { InfraInput } from '../api/infra.ts'
import type { LabPlan } from './plan.ts'

/** The Infra that oooi serves in the lab: an ordinary one, as a user would write it for a host without Kubernetes. */
export function labInfra(plan: LabPlan): InfraInput {
  const { vlan, pods } = plan
  return {
    apiVersion: 'hostedcluster.densityops.com/v1alpha1',
    kind: 'Infra',
    metadata: { name: plan.clusterName },
    spec: {
      networkConfig: { cidr: vlan.cidr, gateway: vlan.gateway, dnsServers: [pods.resolver] },
      infraComponents: {
        dhcp: {
          serverIP: vlan.dhcp,
          rangeStart: vlan.rangeStart,
          rangeEnd: vlan.rangeEnd,
          leaseTime: '1h',
          clientPolicy: 'Known',
          clientOptions: { domainName: plan.domain, ...(plan.boot ? { boot: plan.boot } : {}) },
          reservations: plan.vms.map((vm) => ({
            mac: vm.mac,
            vmName: vm.name,
            ...(vm.address ? { address: vm.address } : {}),
          })),
        },
        dns: { serverIP: vlan.dns, clusterName: plan.clusterName, baseDomain: plan.baseDomain },
        proxy: {
          serverIP: vlan.proxy,
          internalProxyService: pods.oooi,
          targets: [
            { name: 'kube-apiserver', address: pods.api, port: 6443 },
            { name: 'oauth-openshift', address: pods.oauth, port: 6443 },
            { name: 'ignition-server', address: pods.ignition, port: 443 },
            { name: 'konnectivity-server', address: pods.konnectivity, port: 8091 },
          ],
        },
      },
      appsIngress: { enabled: true, address: vlan.apps },
    },
  }
}

export function labInfraYaml(plan: LabPlan): string {
  return stringify(labInfra(plan), { lineWidth: 0 })
}
