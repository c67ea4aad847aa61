import type { Access } from '../../../src/lab/kubernetes/access/access.ts'
import { installForeignKind } from '../installed-kinds.ts'
import { type AnyObject, endpointSlice, worldOf } from '../operator-world.ts'

/** HyperShift as far as we see it from outside. The real one needs an OpenShift release and its images. */

const apiVersion = 'hypershift.openshift.io/v1beta1'

export async function installHyperShift(plane: Access): Promise<void> {
  await installForeignKind(plane, apiVersion, 'HostedCluster', 'hostedclusters')
  await installForeignKind(plane, apiVersion, 'HostedControlPlane', 'hostedcontrolplanes')
}

export interface HostedClusterFields {
  readonly spec?: object
  readonly status?: object
}

export function hostedCluster(
  namespace: string,
  name: string,
  { spec = {}, status = {} }: HostedClusterFields = {},
): AnyObject {
  return {
    apiVersion,
    kind: 'HostedCluster',
    metadata: { name, namespace },
    spec: { platform: { type: 'KubeVirt', kubevirt: {} }, dns: { baseDomain: 'example.com' }, services: [], ...spec },
    status,
  }
}

/** A control plane as HyperShift makes it: its namespace, what says whose it is, the Service of its API, and a kubeconfig. */
export async function makeControlPlane(
  plane: Access,
  owner: { readonly namespace: string; readonly name: string },
  kubeconfig: string | undefined,
): Promise<string> {
  const namespace = `${owner.namespace}-${owner.name}`
  await worldOf(plane).apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      apiVersion,
      kind: 'HostedControlPlane',
      metadata: {
        name: owner.name,
        namespace,
        annotations: { 'hypershift.openshift.io/cluster': `${owner.namespace}/${owner.name}` },
      },
    },
    apiService(namespace),
    ...(kubeconfig === undefined ? [] : [kubeconfigSecret(namespace, kubeconfig)]),
  )
  return namespace
}

/** The API server of a control plane that a policy closes to other namespaces. */
export function closedControlPlane(namespace: string): AnyObject[] {
  return [
    apiService(namespace),
    endpointSlice(namespace, 'kube-apiserver', { address: '10.9.9.9', port: 16443 }),
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'same-namespace', namespace },
      spec: { podSelector: {}, policyTypes: ['Ingress'] },
    },
  ]
}

function apiService(namespace: string): AnyObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kube-apiserver', namespace },
    spec: { selector: { app: 'kube-apiserver' }, ports: [{ port: 6443 }] },
  }
}

export function kubeconfigSecret(
  namespace: string,
  kubeconfig: string,
  name = 'service-network-admin-kubeconfig',
): AnyObject {
  const data = { kubeconfig: Buffer.from(kubeconfig).toString('base64') }
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, data }
}
