import { z } from 'zod'
import * as field from './fields.ts'
import { componentName, conditions, observedGeneration, resource, servingGeneration } from './meta.ts'
import { neighbours } from './neighbours.ts'
import { networkAttachmentName, networkAttachmentNamespace, serverIP, serverIPs } from './network.ts'
import { clientProgress } from './progress.ts'

const staticEntry = z.strictObject({
  hostname: field.hostnamePattern.describe('The name, or *.parent for every name below parent.'),
  ip: field.ip.describe('Its address, IPv4 or IPv6.'),
  internalIP: field.ip
    .optional()
    .describe('Its address in the pod view. Default: internalProxyIP where ip equals proxyIP, else ip.'),
  ttl: field.wholeNumber(0, 604_800).optional().describe('Seconds a resolver may keep the answer; default 30.'),
})

/** Fields that an Infra hands to its DNSServer as they are. */
export const dnsTuning = {
  engine: z.enum(['oooi', 'coredns']).default('oooi').describe('Which program answers: our own, or a stock CoreDNS.'),
  staticEntries: z.array(staticEntry).max(1024).optional().describe('Names answered by this server itself.'),
  forwarding: z
    .strictObject({ enabled: z.boolean().default(true).describe('Ask upstream for names that are not ours.') })
    .optional()
    .describe('Forwarding of names that are not ours.'),
  reloadInterval: field
    .duration({ min: '1s', max: '24h' })
    .default('5s')
    .describe('How often CoreDNS looks for changes; the engine oooi sees them at once.'),
  cacheTTL: field
    .duration({ min: '0s', max: '24h' })
    .default('30s')
    .describe('Longest time a forwarded answer is kept; 0s keeps none.'),
  queryLog: z.boolean().default(false).describe('Log every query.'),
}

const spec = z
  .strictObject({
    networkConfig: z
      .strictObject({
        serverIP: serverIP.optional(),
        serverIPs: serverIPs.optional(),
        proxyIP: field.ipv4.describe('Address of the proxy on the VLAN.'),
        internalProxyIP: field.addressOrName
          .optional()
          .describe(
            'Address or name of the proxy on the pod network: the answer there wherever the VLAN gets proxyIP.',
          ),
        secondaryNetworkCIDR: field.cidr.optional().describe('The VLAN; its reverse zone is answered too.'),
        networkAttachmentName: networkAttachmentName.optional(),
        networkAttachmentNamespace: networkAttachmentNamespace.optional(),
        dnsPort: field.port.default(53).describe('Port of the server, UDP and TCP.'),
      })
      .describe('The place of the server, and the addresses its two views speak of.'),
    hostedClusterDomain: field.dnsName.describe('Domain of the hosted cluster; names below it are never forwarded.'),
    additionalDomains: z
      .array(field.dnsName)
      .max(64)
      .optional()
      .describe('Further domains answered here, one for each further cluster.'),
    ...dnsTuning,
    upstreamDNS: z
      .array(field.upstream)
      .max(16)
      .optional()
      .describe('Servers asked for all other names; none: the resolvers of the host.'),
    image: field.image
      .optional()
      .describe('Container image of the server; default: that of the operator, with engine coredns that of CoreDNS.'),
  })
  .describe('A DNS server with one view for the VLAN and one for the pod network.')

const status = z
  .strictObject({
    configMapName: field.objectName
      .optional()
      .describe('ConfigMap with the configuration, where the engine needs one.'),
    deploymentName: field.objectName.optional().describe('Deployment that runs the server.'),
    serviceName: field.objectName.optional().describe('Service of the server on the pod network.'),
    serviceClusterIP: field.ip.optional().describe('Address of that Service: forward the cluster domain to it.'),
    resolved: z
      .strictObject({
        internalProxyIPs: z.array(field.ip).max(16).optional().describe('Addresses of the proxy on the pod network.'),
        records: z
          .array(
            z.strictObject({
              hostname: field.hostnamePattern.describe('The name.'),
              addresses: z.array(field.ip).max(16).describe('Its addresses on the VLAN.'),
              internalAddresses: z
                .array(field.ip)
                .max(16)
                .optional()
                .describe('Its addresses in the pod view; default: the same.'),
            }),
          )
          .max(4096)
          .optional()
          .describe('Names of virtual machines, and the address of the apps ingress.'),
        paths: z
          .array(
            z.strictObject({
              hostname: field.dnsName.describe('A name that the proxy of the same Infra publishes.'),
              port: field.port.describe('The port it is reached at.'),
            }),
          )
          .max(64)
          .optional()
          .describe('What this server tries from the VLAN once a minute: name, connection, certificate.'),
        neighbours: neighbours.optional(),
      })
      .optional()
      .describe('What the operator found out elsewhere for this server.'),
    clients: clientProgress('Names of the control plane'),
    servingGeneration: servingGeneration.optional(),
    conditions: conditions.optional(),
    observedGeneration: observedGeneration.optional(),
  })
  .describe('What the server and the operator observed.')

export const dnsServerSchema = resource({ kind: 'DNSServer', name: componentName, spec, status })

/** A DNSServer with all defaults applied. */
export type DNSServer = z.output<typeof dnsServerSchema>
/** A DNSServer as a person writes it. */
export type DNSServerInput = z.input<typeof dnsServerSchema>
