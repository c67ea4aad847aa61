import type { Caches } from './caches.ts'

/** The controllers that can be run on their own. */
export const controllerNames = ['infra', 'virtualingress'] as const
export type ControllerName = (typeof controllerNames)[number]

/** What each has to know of the cluster. */
export const neededCaches: Readonly<Record<ControllerName, readonly (keyof Caches)[]>> = {
  infra: [
    'infras',
    'dhcpServers',
    'dnsServers',
    'proxyServers',
    'leases',
    'serviceAccounts',
    'roles',
    'roleBindings',
    'claims',
    'deployments',
    'services',
    'pods',
    'endpointSlices',
    'networkPolicies',
    'namespaces',
    'attachments',
    'machines',
    'hostedControlPlanes',
  ],
  virtualingress: ['virtualIngresses', 'services', 'endpointSlices', 'ingresses', 'httpRoutes'],
}
