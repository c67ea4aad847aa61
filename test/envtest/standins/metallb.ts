import type { Access } from '../../../src/lab/kubernetes/access/access.ts'
import { installForeignKind, removeKinds } from '../installed-kinds.ts'
import { type AnyObject, worldOf } from '../operator-world.ts'

/**
 * MetalLB as a Service sees it: its kinds, and a hand that gives and takes addresses in the way its controller does.
 * The real one needs pods on nodes of the hosted cluster, which there are none of here.
 */

const apiVersion = 'metallb.io/v1beta1'
const namespace = 'metallb-system'

export async function installMetalLB(hosted: Access): Promise<void> {
  await installForeignKind(hosted, apiVersion, 'IPAddressPool', 'ipaddresspools')
  await installForeignKind(hosted, apiVersion, 'L2Advertisement', 'l2advertisements')
  await worldOf(hosted).apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
}

export async function removeMetalLB(hosted: Access): Promise<void> {
  await removeKinds(hosted, 'ipaddresspools.metallb.io', 'l2advertisements.metallb.io')
}

/** What only installations by the operator have. */
export async function installMetalLBOperator(hosted: Access): Promise<void> {
  await installForeignKind(hosted, apiVersion, 'MetalLB', 'metallbs')
}

export function pool(name: string, addresses: readonly string[], more: object = {}): AnyObject {
  return { apiVersion, kind: 'IPAddressPool', metadata: { name, namespace }, spec: { addresses }, ...more }
}

export function advertisement(name: string, ipAddressPools: readonly string[]): AnyObject {
  return { apiVersion, kind: 'L2Advertisement', metadata: { name, namespace }, spec: { ipAddressPools } }
}

export function instance(loadBalancerClass: string): AnyObject {
  return { apiVersion, kind: 'MetalLB', metadata: { name: 'metallb', namespace }, spec: { loadBalancerClass } }
}

/** The Service's addresses are these from now on; none withdraws them. */
export async function assign(hosted: Access, service: AnyObject, ...ips: readonly string[]): Promise<void> {
  const { name, namespace: of = '', annotations } = service.metadata
  const path = `/api/v1/namespaces/${of}/services/${name}`
  const patch = (body: object, subresource = '') =>
    hosted.request(`${path}${subresource}`, { method: 'PATCH', body, contentType: 'application/merge-patch+json' })
  const from = ips.length === 0 ? null : (annotations?.['metallb.io/address-pool'] ?? null)
  await patch({ metadata: { annotations: { 'metallb.io/ip-allocated-from-pool': from } } })
  await patch({ status: { loadBalancer: { ingress: ips.map((ip) => ({ ip })) } } }, '/status')
}

/** It could not give one, and says why. */
export async function refuse(hosted: Access, service: AnyObject, message: string): Promise<void> {
  const { name, namespace: of = '', uid } = service.metadata
  const body = {
    metadata: { generateName: `${name}.`, namespace: of },
    involvedObject: { apiVersion: 'v1', kind: 'Service', name, namespace: of, uid },
    type: 'Warning',
    reason: 'AllocationFailed',
    message,
    lastTimestamp: new Date().toISOString().replace(/\.\d+/, ''),
    source: { component: 'metallb-controller' },
  }
  await hosted.request(`/api/v1/namespaces/${of}/events`, { method: 'POST', body })
}
