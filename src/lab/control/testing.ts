import type { Look } from './look.ts'

/** For tests of a lab without Kubernetes. */

/** What fails for the machine, what for a pod, and what must be found in the status. */
export const faultEffects = {
  api: { vm: ['api', 'api-no-sni'], pod: ['api'], says: /no target of kube-apiserver.*\[BackendUnreachable\]/ },
  upstream: { vm: ['resolver'], pod: [], says: /\[UpstreamsUnreachable\]/ },
  vip: { vm: ['apps'], pod: ['apps'], says: /\[BackendUnreachable\]/ },
  dhcp: { vm: ['lease'], pod: [], says: /does not have 192\.168\.100\.2\/24.*\[AddressMissing\]/ },
  dns: {
    vm: ['resolver', 'ignition', 'api', 'oauth', 'apps'],
    pod: [],
    says: /does not have 192\.168\.100\.3\/24.*\[AddressMissing\]/,
  },
  proxy: {
    vm: ['ignition', 'api', 'api-no-sni', 'oauth', 'konnectivity-held'],
    pod: [],
    says: /does not have 192\.168\.100\.4\/24.*\[AddressMissing\]/,
  },
} as const

export function failingSteps({ vms }: Look): Record<string, string[]> {
  return Object.fromEntries(vms.map((vm) => [vm.name, vm.steps.filter((step) => !step.ok).map((step) => step.name)]))
}
