import { defineKind } from '../../runtime/kube/kind.ts'
import type { KubeObject } from '../../runtime/kube/object.ts'

/** What is looked at in a hosted cluster. Nothing is believed of its form: `core/appsingress/hosted.ts` reads it. */

const namespaced = (apiVersion: string, kind: string, plural: string) =>
  defineKind<KubeObject>({ apiVersion, kind, plural, namespaced: true })

export const poolKind = namespaced('metallb.io/v1beta1', 'IPAddressPool', 'ipaddresspools')
export const l2AdvertisementKind = namespaced('metallb.io/v1beta1', 'L2Advertisement', 'l2advertisements')
export const bgpAdvertisementKind = namespaced('metallb.io/v1beta1', 'BGPAdvertisement', 'bgpadvertisements')
/** Of MetalLB's operator; other installations do not have it. */
export const metallbKind = namespaced('metallb.io/v1beta1', 'MetalLB', 'metallbs')
export const ingressControllerKind = namespaced('operator.openshift.io/v1', 'IngressController', 'ingresscontrollers')
export const hostedServiceKind = namespaced('v1', 'Service', 'services')
export const hostedSliceKind = namespaced('discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices')
export const hostedEventKind = namespaced('v1', 'Event', 'events')

/** In the management cluster, and only ever asked for by name. */
export interface SecretObject extends KubeObject {
  data?: Record<string, string>
}
export const secretKind = defineKind<SecretObject>({
  apiVersion: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
})
