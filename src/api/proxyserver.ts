import { z } from 'zod'
import * as field from './fields.ts'
import { componentName, conditions, observedGeneration, resource, servingGeneration } from './meta.ts'
import { neighbours } from './neighbours.ts'
import { networkAttachmentName, networkAttachmentNamespace, serverIP, serverIPs } from './network.ts'
import { clientProgress } from './progress.ts'

export const proxyBackend = z
  .strictObject({
    name: field.label.describe('Name of this backend, unique in its proxy.'),
    hostname: field.serverName.describe(
      'TLS server name that is routed here, or *.parent for every name below parent.',
    ),
    alternateHostnames: z
      .array(field.serverName)
      .max(16)
      .meta(field.listSet)
      .optional()
      .describe('Further names routed here.'),
    port: field.port.describe('Port the proxy listens on.'),
    targetService: field.label.optional().describe('Service that gets the connection; with targetNamespace.'),
    targetNamespace: field.label.optional().describe('Namespace of targetService.'),
    targetAddress: field.addressOrName
      .optional()
      .describe('Address or DNS name that gets the connection, instead of targetService and targetNamespace.'),
    targetPort: field.port.describe('Port of the target.'),
    protocol: z
      .enum(['TCP', 'TLS', 'HTTP', 'Raw'], {
        error: ({ input }) =>
          input === 'UDP' ? 'TCP, TLS, HTTP or Raw; UDP has no connections to pass on and is not carried' : undefined,
      })
      .default('TCP')
      .describe(
        'TCP and TLS both pass TLS through by its server name; HTTP routes plain HTTP by its Host header; Raw passes on whatever is spoken, by the port alone.',
      ),
    timeoutSeconds: field
      .wholeNumber(1, 3600)
      .default(30)
      .describe('Longest time for reaching the target, all attempts together.'),
    default: z
      .boolean()
      .default(false)
      .describe('Takes connections without a server name on its port. An unknown name is closed all the same.'),
    podNetwork: z.boolean().default(false).describe('Served on the pod network too, not only on the VLAN.'),
    sourcePrefixRanges: z
      .array(field.cidr)
      .max(512)
      .optional()
      .describe('Only connections from these networks are routed here; others may match another backend.'),
    clientCluster: field.label
      .optional()
      .describe(
        'Only connections from machines of one hosted cluster are routed here, by their leases; named by the namespace of its control plane. As long as none are known: nobody.',
      ),
    allowedSourceCIDRs: z
      .array(field.cidr)
      .max(256)
      .optional()
      .describe('Who may connect; a connection routed here from elsewhere is closed.'),
    proxyProtocol: z.boolean().default(false).describe('Tell the target the address of the client by a PROXY header.'),
    maxConnections: field.wholeNumber(1, 1_000_000).optional().describe('Most connections to this backend at a time.'),
    connectAttempts: field.wholeNumber(1, 10).optional().describe('How often a target is tried before giving up.'),
    healthCheck: z
      .strictObject({
        interval: field.duration({ min: '1s', max: '1h' }).default('10s').describe('Time between two checks.'),
        timeout: field.duration({ min: '100ms', max: '1m' }).default('2s').describe('How long a check may take.'),
      })
      .optional()
      .describe('Check regularly whether the targets answer.'),
  })
  .describe('One service behind the proxy: the names it is reached by, and where it is.')

/** Fields that an Infra hands to its ProxyServer as they are. */
export const proxyTuning = {
  engine: z
    .enum(['envoy', 'embedded'])
    .optional()
    .describe('Which program proxies; default: envoy in Kubernetes, embedded elsewhere.'),
  logLevel: z
    .enum(['trace', 'debug', 'info', 'warning', 'error', 'critical'])
    .default('info')
    .describe('How much the proxy logs.'),
}

/** Images of the two containers of a proxy pod. */
export const proxyImages = {
  proxyImage: field.image.optional().describe('Container image of Envoy; default: the one oooi is tested with.'),
  managerImage: field.image.optional().describe('Container image beside Envoy; default: that of the operator.'),
}

const spec = z
  .strictObject({
    networkConfig: z
      .strictObject({
        serverIP: serverIP.optional(),
        serverIPs: serverIPs.optional(),
        networkAttachmentName: networkAttachmentName.optional(),
        networkAttachmentNamespace: networkAttachmentNamespace.optional(),
      })
      .describe('The place of the proxy on the VLAN.'),
    backends: z
      .array(proxyBackend)
      .min(1)
      .max(256)
      .meta(field.listMapBy('name'))
      .describe('What is reached through the proxy.'),
    ...proxyTuning,
    ...proxyImages,
    port: field.port.default(443).describe('Port of the Service that is named proxy; listening is by backends[].port.'),
    xdsPort: field.port.default(18_000).describe('Port on which Envoy is given its configuration, inside the pod.'),
  })
  .describe('A proxy that passes TLS through by server name.')

const status = z
  .strictObject({
    configMapName: field.objectName.optional().describe('ConfigMap with the bootstrap of Envoy.'),
    deploymentName: field.objectName.optional().describe('Deployment that runs the proxy.'),
    serviceName: field.objectName.optional().describe('Service of the proxy on the pod network.'),
    serviceIP: field.ip.optional().describe('Address of that Service.'),
    backendCount: field.count.optional().describe('Backends that are served.'),
    backends: z
      .array(
        z.strictObject({
          name: field.label.describe('Name of the backend.'),
          endpoints: field.count.optional().describe('Addresses known for it.'),
          healthy: field.count.optional().describe('Of these, how many answer.'),
          lastError: z.string().max(1024).optional().describe('Why the last connection to it failed.'),
        }),
      )
      .max(256)
      .optional()
      .describe('State of each backend.'),
    resolved: z
      .strictObject({
        backends: z
          .array(
            z.strictObject({
              name: field.label.describe('Name of the backend.'),
              endpoints: z
                .array(z.strictObject({ address: field.ip.describe('Address.'), port: field.port.describe('Port.') }))
                .max(1024)
                .optional()
                .describe('Where its target really is.'),
              targetName: field.dnsName.optional().describe('A DNS name that it may go to, where names are permitted.'),
              clusterIP: field.ip.optional().describe('Address of its Service, for when the endpoints are stale.'),
              clients: z.array(field.ipv4).max(4096).optional().describe('Clients that belong to its cluster.'),
            }),
          )
          .max(256)
          .optional()
          .describe('Targets of the backends.'),
        neighbours: neighbours.optional(),
      })
      .optional()
      .describe('What the operator found out elsewhere for this proxy.'),
    clients: clientProgress('Backends'),
    servingGeneration: servingGeneration.optional(),
    conditions: conditions.optional(),
    observedGeneration: observedGeneration.optional(),
  })
  .describe('What the proxy and the operator observed.')

export const proxyServerSchema = resource({ kind: 'ProxyServer', name: componentName, spec, status })

/** A ProxyServer with all defaults applied. */
export type ProxyServer = z.output<typeof proxyServerSchema>
/** A ProxyServer as a person writes it. */
export type ProxyServerInput = z.input<typeof proxyServerSchema>
export type ProxyBackend = z.output<typeof proxyBackend>
