import { z } from 'zod'
import * as field from './fields.ts'
import { conditions, observedGeneration } from './meta.ts'

const stuckVm = z.strictObject({
  name: z.string().max(253).describe('Name of the virtual machine.'),
  mac: field.mac.optional().describe('Its hardware address.'),
  address: field.ipv4.optional().describe('Its address, if it has one.'),
  stage: z.string().max(63).describe('The last step of its boot that was seen.'),
  since: field.timestamp.optional().describe('Since when nothing more was seen.'),
  hint: z.string().max(1024).optional().describe('What to look at.'),
})

export const appsIngressStatus = z
  .strictObject({
    phase: z.enum(['Pending', 'Ready', 'Degraded']).optional().describe('How far it is.'),
    externalIP: field.ip.optional().describe('Address of the ingress.'),
    externalIPs: z.array(field.ip).max(16).optional().describe('All its addresses.'),
    externalHostname: field.dnsName.optional().describe('Its name, where the load balancer gives one.'),
    hostedCluster: z.string().max(317).optional().describe('The HostedCluster that has the Service, namespace/name.'),
    serviceName: field.label.optional().describe('Service in the hosted cluster.'),
    serviceNamespace: field.label.optional().describe('Namespace of that Service.'),
    lastSyncTime: field.timestamp.optional().describe('When the hosted cluster was last asked.'),
    reason: z.string().max(1024).optional().describe('The stable name of the cause.'),
    message: field.sentence.optional().describe('The particulars.'),
  })
  .describe('State of the way to the applications.')

export const infraStatus = z
  .strictObject({
    componentStatus: z
      .strictObject({
        dhcpReady: z.boolean().optional().describe('The DHCP server serves.'),
        dnsReady: z.boolean().optional().describe('The DNS server serves.'),
        proxyReady: z.boolean().optional().describe('The proxy serves.'),
      })
      .optional()
      .describe('Which components serve.'),
    appsIngressStatus: appsIngressStatus.optional(),
    attachments: z
      .strictObject({
        total: field.count.optional().describe('Clusters attached.'),
        ready: field.count.optional().describe('Of these, how many are served.'),
        legacyFieldsIgnored: z
          .boolean()
          .optional()
          .describe('The cluster fields of this Infra are ignored because attachments exist.'),
      })
      .optional()
      .describe('Clusters attached to this VLAN.'),
    vms: z
      .strictObject({
        known: field.count.optional().describe('Virtual machines known.'),
        leased: field.count.optional().describe('Of these, how many have an address.'),
        resolved: field.count.optional().describe('How many asked for a name of the control plane.'),
        connected: field.count.optional().describe('How many reached the control plane.'),
        stuck: z.array(stuckVm).max(50).optional().describe('Those whose boot does not go on.'),
      })
      .optional()
      .describe('How far the virtual machines of this VLAN came.'),
    conditions: conditions.optional(),
    observedGeneration: observedGeneration.optional(),
  })
  .describe('What was observed.')
