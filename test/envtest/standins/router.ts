import type { Access } from '../../../src/lab/kubernetes/access/access.ts'
import { installForeignKind } from '../installed-kinds.ts'
import { worldOf } from '../operator-world.ts'

const apiVersion = 'operator.openshift.io/v1'
const namespace = 'openshift-ingress-operator'

/** The default IngressController of a hosted cluster as its operator reports it. That operator is a part of OpenShift. */
export async function installRouter(hosted: Access, domain: string, endpointPublishingStrategy = {}): Promise<void> {
  await installForeignKind(hosted, apiVersion, 'IngressController', 'ingresscontrollers')
  await worldOf(hosted).apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      apiVersion,
      kind: 'IngressController',
      metadata: { name: 'default', namespace },
      status: { domain, endpointPublishingStrategy },
    },
  )
}
