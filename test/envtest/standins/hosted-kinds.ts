import type { Access } from '../../../src/lab/kubernetes/access/access.ts'
import { installForeignKind } from '../installed-kinds.ts'
import { type AnyObject, endpointSlice } from '../operator-world.ts'

/**
 * The kinds of HyperShift, KubeVirt and OpenShift that say how a hosted cluster is reached, and objects as these
 * programs make them. The programs themselves need an OpenShift release and its images.
 */

const hyperShift = 'hypershift.openshift.io/v1beta1'

export const hostedKinds = [
  'hostedclusters.hypershift.openshift.io',
  'hostedcontrolplanes.hypershift.openshift.io',
  'nodepools.hypershift.openshift.io',
  'routes.route.openshift.io',
  'virtualmachineinstances.kubevirt.io',
]

export async function installHostedKinds(plane: Access): Promise<void> {
  await installForeignKind(plane, hyperShift, 'HostedCluster', 'hostedclusters')
  await installForeignKind(plane, hyperShift, 'HostedControlPlane', 'hostedcontrolplanes')
  await installForeignKind(plane, hyperShift, 'NodePool', 'nodepools')
  await installForeignKind(plane, 'route.openshift.io/v1', 'Route', 'routes')
  await installForeignKind(plane, 'kubevirt.io/v1', 'VirtualMachineInstance', 'virtualmachineinstances')
}

/** Published as recommended, unless it says otherwise. */
export function publishedCluster(namespace: string, name: string, spec: object = {}): AnyObject {
  const route = (service: string, label: string) => ({
    service,
    servicePublishingStrategy: { type: 'Route', route: { hostname: `${label}.${name}.example.com` } },
  })
  const hostname = `api.${name}.example.com`
  const api = { type: 'LoadBalancer', loadBalancer: { hostname } }
  return {
    apiVersion: hyperShift,
    kind: 'HostedCluster',
    metadata: { name, namespace },
    spec: {
      platform: { type: 'KubeVirt', kubevirt: {} },
      dns: { baseDomain: 'example.com' },
      services: [
        { service: 'APIServer', servicePublishingStrategy: api },
        route('OAuthServer', 'oauth'),
        route('Konnectivity', 'konnectivity'),
        route('Ignition', 'ignition'),
      ],
      ...spec,
    },
  }
}

/** What HyperShift makes of a HostedCluster, as far as connections go. */
export function controlPlaneObjects(namespace: string, name: string, address = '10.9.9.9'): AnyObject[] {
  const target = `${namespace}-${name}`
  const ports = {
    'kube-apiserver': 6443,
    'oauth-openshift': 6443,
    'konnectivity-server': 8091,
    'ignition-server-proxy': 443,
  }
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: target } },
    hostedControlPlane(namespace, name),
    ...Object.entries(ports).flatMap(([service, port]): AnyObject[] => [
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: service, namespace: target },
        spec: { selector: { app: service }, ports: [{ port }] },
      },
      endpointSlice(target, service, { address, port }),
    ]),
  ]
}

export function hostedControlPlane(namespace: string, name: string): AnyObject {
  const annotations = { 'hypershift.openshift.io/cluster': `${namespace}/${name}` }
  const metadata = { name, namespace: `${namespace}-${name}`, annotations }
  return { apiVersion: hyperShift, kind: 'HostedControlPlane', metadata }
}

export function route(namespace: string, name: string, host: string): AnyObject {
  return { apiVersion: 'route.openshift.io/v1', kind: 'Route', metadata: { name, namespace }, spec: { host } }
}

export function machine(namespace: string, name: string, mac: string): AnyObject {
  const spec = { domain: { devices: { interfaces: [{ macAddress: mac }] } } }
  return { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', metadata: { name, namespace }, spec }
}
