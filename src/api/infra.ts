import { z } from 'zod'
import { clientPolicy, dhcpTuning } from './dhcpserver.ts'
import { dnsTuning } from './dnsserver.ts'
import * as field from './fields.ts'
import { infraStatus } from './infrastatus.ts'
import { infraName, resource } from './meta.ts'
import { serverIP, serverIPs } from './network.ts'
import { proxyBackend, proxyImages, proxyTuning } from './proxyserver.ts'

const networkConfig = z
  .strictObject({
    cidr: field.cidr.describe('The VLAN.'),
    gateway: field.ipv4.optional().describe('Router of the VLAN; none: clients get no default route.'),
    dnsServers: z
      .array(field.upstream)
      .max(16)
      .optional()
      .describe('Servers asked for names that are not of the cluster; none: the resolvers of the node.'),
    networkAttachmentDefinition: field.objectName
      .optional()
      .describe('NetworkAttachmentDefinition that puts pods onto the VLAN. Not needed outside Kubernetes.'),
    networkAttachmentNamespace: field.label.optional().describe('Its namespace; default: that of the Infra.'),
    attachment: z
      .strictObject({
        kind: z
          .enum(['NetworkAttachmentDefinition', 'ClusterUserDefinedNetwork'])
          .default('NetworkAttachmentDefinition')
          .describe(
            'What kind of object describes the network. A ClusterUserDefinedNetwork makes a NetworkAttachmentDefinition of its name in every namespace that it selects.',
          ),
        name: field.objectName.describe('Its name.'),
        namespace: field.label
          .optional()
          .describe('Namespace of the NetworkAttachmentDefinition; default: that of the Infra.'),
      })
      .optional()
      .describe('The object that puts pods onto the VLAN, instead of networkAttachmentDefinition.'),
    topology: z
      .enum(['Localnet', 'Layer2', 'Layer3'])
      .optional()
      .describe('Topology of the network; Layer3 cannot carry DHCP and fixed addresses, and is not served.'),
    role: z
      .enum(['Secondary', 'Primary'])
      .optional()
      .describe('Whether it is the first or a further network of a pod; components can be on a Secondary one only.'),
    exposure: z
      .enum(['Layer2', 'BGP'])
      .optional()
      .describe('How the network is reached from outside: for readers, oooi makes no networks.'),
    ipam: z
      .enum(['DHCP', 'External', 'OVNKubernetes'])
      .optional()
      .describe(
        'Who gives the machines their addresses; others than DHCP beside infraComponents.dhcp are remarked on.',
      ),
    routeAdvertisementsRef: z
      .strictObject({ name: field.objectName.describe('Its name.') })
      .optional()
      .describe('RouteAdvertisements object, for exposure by BGP: for readers, as exposure.'),
  })
  .describe('The VLAN.')

export const hostedClusterRef = z.strictObject({
  name: field.objectName.describe('Name of the HostedCluster.'),
  namespace: field.label.default('clusters').describe('Its namespace.'),
})

const dhcp = z
  .strictObject({
    enabled: z.boolean().default(true).describe('Run a DHCP server.'),
    serverIP: serverIP.optional(),
    serverIPs: serverIPs.optional(),
    rangeStart: field.ipv4.optional().describe('First address given out.'),
    rangeEnd: field.ipv4.optional().describe('Last address given out.'),
    leaseTime: field.leaseTime.default('1h').describe('How long an address is lent.'),
    clientPolicy: clientPolicy.optional(),
    ...dhcpTuning,
    image: field.image.optional().describe('Container image of the server; default: that of the operator.'),
  })
  .describe('The DHCP server. Left out: none.')

const dns = z
  .strictObject({
    enabled: z.boolean().default(true).describe('Run a DNS server.'),
    serverIP: serverIP.optional(),
    serverIPs: serverIPs.optional(),
    baseDomain: field.dnsName.optional().describe('Domain above the cluster: the cluster is clusterName.baseDomain.'),
    clusterName: field.label.optional().describe('Name of the cluster inside baseDomain.'),
    ...dnsTuning,
    image: field.image.optional().describe('Container image of the server; default: that of the operator.'),
  })
  .describe('The DNS server, and the domain of the cluster. Left out: none.')

const target = z.strictObject({
  name: field.label.describe('Name of the backend, e.g. kube-apiserver.'),
  address: field.addressOrName.describe('Where it really is: an address or a DNS name.'),
  port: field.port.describe('Its port there.'),
})

export const externalService = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Make the Service.'),
    addressPoolName: field.objectName.optional().describe('MetalLB pool its address comes from.'),
    labels: field.stringMap.optional().describe('Labels for the Service.'),
    annotations: field.stringMap.optional().describe('Annotations for the Service.'),
    publishAttachmentOAuths: z.boolean().default(false).describe('Publish the OAuth names of attached clusters too.'),
  })
  .describe('A second Service of the proxy, of type LoadBalancer, for users outside both networks.')

const proxy = z
  .strictObject({
    enabled: z.boolean().default(true).describe('Run a proxy.'),
    serverIP: serverIP.optional(),
    serverIPs: serverIPs.optional(),
    internalProxyService: field.addressOrName
      .optional()
      .describe('Address or name of the proxy on the pod network; default: its own Service.'),
    controlPlaneNamespace: field.label.optional().describe('Namespace of the control plane.'),
    apiServerService: field.label.default('kube-apiserver').describe('Service of the API server in that namespace.'),
    targets: z
      .array(target)
      .max(256)
      .meta(field.listMapBy('name'))
      .optional()
      .describe('Where backends really are: outside Kubernetes, or to override what would be found.'),
    backends: z
      .array(proxyBackend)
      .max(240)
      .meta(field.listMapBy('name'))
      .optional()
      .describe('Further backends, e.g. a registry mirror.'),
    externalService: externalService.optional(),
    ...proxyTuning,
    ...proxyImages,
  })
  .describe('The proxy to the control plane. Left out: none.')

export const appsIngress = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Publish the applications of the hosted cluster.'),
    address: field.ipv4.optional().describe('Address of the ingress, given by hand: no hosted cluster is asked.'),
    baseDomain: field.dnsName
      .optional()
      .describe(
        'Domain above the cluster, or with a leading apps. the whole apps domain; default: apps below the cluster domain.',
      ),
    hostedClusterRef: hostedClusterRef.optional().describe('The HostedCluster whose applications these are.'),
    metallb: z
      .strictObject({
        addressPoolName: field.objectName.optional().describe('MetalLB pool of the hosted cluster.'),
        ipAddressPoolRange: field.addressPool
          .optional()
          .describe('Addresses of that pool, a-b or CIDR, several with commas; only compared, never written.'),
        l2AdvertisementName: field.objectName.optional().describe('Its L2Advertisement, to be checked.'),
      })
      .optional()
      .describe('The MetalLB that users run in the hosted cluster.'),
    service: z
      .strictObject({
        name: field.label.default('oooi-ingress').describe('Name of the Service.'),
        namespace: field.label.default('openshift-ingress').describe('Its namespace: that of the router.'),
        labels: field.stringMap.optional().describe('Labels for it.'),
        annotations: field.stringMap.optional().describe('Annotations for it.'),
        selector: field.stringMap
          .optional()
          .describe('Pods it selects; default: those of the default IngressController.'),
        loadBalancerClass: z
          .string()
          .min(1)
          .max(317)
          .optional()
          .describe('Class of load balancer that shall serve it.'),
        loadBalancerIP: field.ipv4.optional().describe('Address to ask MetalLB for.'),
      })
      .optional()
      .describe('The LoadBalancer Service in the hosted cluster.'),
    ports: z
      .strictObject({
        http: field.port.default(80).describe('Port for HTTP.'),
        https: field.port.default(443).describe('Port for HTTPS.'),
      })
      .prefault({})
      .describe('Ports of the ingress.'),
  })
  .describe('The way to the applications (*.apps) of the hosted cluster.')

const spec = z
  .strictObject({
    networkConfig,
    hostedClusterRef: hostedClusterRef.optional().describe('The HostedCluster that all of this is for.'),
    infraComponents: z
      .strictObject({ dhcp: dhcp.optional(), dns: dns.optional(), proxy: proxy.optional() })
      .prefault({})
      .describe('The services put onto the VLAN.'),
    appsIngress: appsIngress.optional(),
  })
  .describe('One VLAN and the services that machines of hosted clusters need on it.')

export const infraSchema = resource({ kind: 'Infra', name: infraName, spec, status: infraStatus })

/** An Infra with all defaults applied. */
export type Infra = z.output<typeof infraSchema>
/** An Infra as a person writes it. */
export type InfraInput = z.input<typeof infraSchema>
