import { z } from 'zod'
import * as field from './fields.ts'
import { appsIngress, externalService, hostedClusterRef } from './infra.ts'
import { appsIngressStatus } from './infrastatus.ts'
import { conditions, infraName, observedGeneration, resource } from './meta.ts'

const spec = z
  .strictObject({
    infraRef: z
      .strictObject({ name: infraName.describe('Name of the Infra, in the namespace of this object.') })
      .describe('The VLAN that the cluster is attached to.'),
    hostedClusterRef: hostedClusterRef.describe('The HostedCluster that is attached; one attachment for each.'),
    dns: z
      .strictObject({
        clusterName: field.label.optional().describe('Name of the cluster inside baseDomain.'),
        baseDomain: field.dnsName.optional().describe('Domain above the cluster.'),
      })
      .optional()
      .describe('The domain of the cluster, clusterName.baseDomain; default: that of the HostedCluster.'),
    controlPlaneNamespace: field.label
      .optional()
      .describe('Namespace of the control plane; default: that of the HostedCluster.'),
    apiServerService: field.label.default('kube-apiserver').describe('Service of the API server in that namespace.'),
    appsIngress: appsIngress.optional(),
    externalService: externalService
      .omit({ publishAttachmentOAuths: true })
      .optional()
      .describe('A Service of type LoadBalancer for users of this cluster outside both networks.'),
  })
  .describe('One hosted cluster on a VLAN that several share.')

const status = z
  .strictObject({
    domain: field.dnsName.optional().describe('Domain of the cluster.'),
    controlPlaneNamespace: field.label.optional().describe('Namespace of its control plane.'),
    appsIngressStatus: appsIngressStatus.optional(),
    conditions: conditions.optional(),
    observedGeneration: observedGeneration.optional(),
  })
  .describe('What was observed.')

export const infraClusterAttachmentSchema = resource({
  kind: 'InfraClusterAttachment',
  name: field.label,
  spec,
  status,
})

/** An InfraClusterAttachment with all defaults applied. */
export type InfraClusterAttachment = z.output<typeof infraClusterAttachmentSchema>
/** An InfraClusterAttachment as a person writes it. */
export type InfraClusterAttachmentInput = z.input<typeof infraClusterAttachmentSchema>
