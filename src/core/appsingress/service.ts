import { apiGroup } from '../../api/meta.ts'
import { managedBy, managedByLabel } from '../render/object.ts'
import type { Service } from './hosted.ts'
import type { AppsRequest } from './request.ts'

/** On the Service in the hosted cluster: whose it is. Owner references cannot cross clusters. */
export const ownerAnnotation = `${apiGroup}/apps-ingress-of`

const poolAnnotation = 'metallb.io/address-pool'
const addressesAnnotation = 'metallb.io/loadBalancerIPs'

/** The one label that pods of the default IngressController carry in every release. */
const routerSelector = { 'ingresscontroller.operator.openshift.io/deployment-ingresscontroller': 'default' }

/** Names are the user's, else what the original used; the namespace has to be that of the router. */
export function serviceRef({ spec }: { readonly spec: Pick<AppsRequest['spec'], 'service'> }): {
  name: string
  namespace: string
} {
  return { name: spec.service?.name ?? 'oooi-ingress', namespace: spec.service?.namespace ?? 'openshift-ingress' }
}

export interface AppsService {
  apiVersion: 'v1'
  kind: 'Service'
  metadata: {
    name: string
    namespace: string
    labels: Record<string, string>
    annotations: Record<string, string>
  }
  spec: object
}

/**
 * The Service that brings traffic to the router. A class keeps the cloud controller of the control plane from serving
 * it too; target ports are named, because the numbers behind them are the router's business.
 */
export function desiredService(request: AppsRequest, loadBalancerClass: string | undefined): AppsService {
  const { service, ports, metallb } = request.spec
  const pinned = service?.loadBalancerIP
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      ...serviceRef(request),
      labels: { ...service?.labels, 'app.kubernetes.io/name': 'oooi', [managedByLabel]: managedBy },
      annotations: {
        ...service?.annotations,
        ...(metallb?.addressPoolName === undefined ? {} : { [poolAnnotation]: metallb.addressPoolName }),
        ...(pinned === undefined ? {} : { [addressesAnnotation]: pinned }),
        [ownerAnnotation]: request.owner,
      },
    },
    spec: {
      type: 'LoadBalancer',
      ...(loadBalancerClass === undefined ? {} : { loadBalancerClass }),
      allocateLoadBalancerNodePorts: false,
      externalTrafficPolicy: 'Cluster',
      ipFamilyPolicy: 'SingleStack',
      ipFamilies: ['IPv4'],
      selector: service?.selector ?? routerSelector,
      ports: [
        { name: 'http', port: ports.http, targetPort: 'http', protocol: 'TCP' },
        { name: 'https', port: ports.https, targetPort: 'https', protocol: 'TCP' },
      ],
    },
  }
}

/** Whether a Service of that name is the one that was made for this owner. */
export function isServiceOf({ labels, annotations }: Pick<Service, 'labels' | 'annotations'>, owner: string): boolean {
  return labels[managedByLabel] === managedBy && annotations[ownerAnnotation] === owner
}
