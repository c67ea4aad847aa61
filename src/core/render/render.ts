import type { DHCPServer } from '../../api/dhcpserver.ts'
import type { DNSServer } from '../../api/dnsserver.ts'
import { serverAddressesOf } from '../../api/network.ts'
import type { ProxyServer } from '../../api/proxyserver.ts'
import { parseCidr } from '../net/cidr.ts'
import { corednsCompanion } from './coredns.ts'
import { type PodParts, renderDeployment } from './deployment.ts'
import { envoyCompanion } from './envoy.ts'
import {
  type ComponentRole,
  dhcpRole,
  dnsRole,
  metadataOf,
  type Place,
  proxyRole,
  type RenderedObject,
  selectorOf,
} from './object.ts'
import { renderRights } from './rights.ts'

/** What is known beyond the component itself. */
export interface RenderSettings {
  /** The operator's own image, for components that name none. */
  readonly image: string
  /** Of CoreDNS, for DNS servers that want it and name none. */
  readonly corednsImage: string
  /** Of Envoy, for proxies that name none. */
  readonly envoyImage: string
  /** The network of the Infra that the component belongs to; the kinds of DNS and proxy need not tell it. */
  readonly cidr?: string | undefined
  /** The platform gives every namespace users of its own, as OpenShift does, and refuses pods that ask for one. */
  readonly assignsUsers?: boolean
}

export function renderDhcpServer(server: DHCPServer, settings: RenderSettings): RenderedObject[] {
  const { networkConfig, image, leaseStorage, persistentVolume } = server.spec
  const place = placeOf(server)
  const isKept = leaseStorage === 'PersistentVolume'
  const pod = {
    ...podParts(place, networkConfig, { ...settings, cidr: networkConfig.cidr }),
    image: image ?? settings.image,
    ports: [{ name: 'dhcp', containerPort: 67, protocol: 'UDP' }],
    claimName: isKept ? claimNameOf(place) : undefined,
  }
  const claims = isKept ? [renderClaim(place, persistentVolume)] : []
  return [...renderRights(dhcpRole, place), ...claims, renderDeployment(dhcpRole, place, pod)]
}

/** What the engine allocates dies at once or stays for long; with little room for garbage it needs two thirds of the memory. */
const dnsNodeOptions = '--max-semi-space-size=1 --max-old-space-size=256'

export function renderDnsServer(server: DNSServer, settings: RenderSettings): RenderedObject[] {
  const { networkConfig, image, engine } = server.spec
  const place = placeOf(server)
  const port = networkConfig.dnsPort
  const isCoredns = engine === 'coredns'
  const pod = {
    ...podParts(place, networkConfig, { ...settings, cidr: networkConfig.secondaryNetworkCIDR ?? settings.cidr }),
    image: (isCoredns ? undefined : image) ?? settings.image,
    companion: isCoredns ? corednsCompanion(image ?? settings.corednsImage, port) : undefined,
    ports: [
      { name: 'dns-udp', containerPort: port, protocol: 'UDP' },
      { name: 'dns-tcp', containerPort: port, protocol: 'TCP' },
    ],
    nodeOptions: dnsNodeOptions,
    // Names of the management cluster are none of the VLAN's business.
    dnsPolicy: 'Default' as const,
  }
  const service = renderService(dnsRole, place, [
    { name: 'dns-udp', port: 53, targetPort: port, protocol: 'UDP' },
    { name: 'dns-tcp', port: 53, targetPort: port, protocol: 'TCP' },
  ])
  return [...renderRights(dnsRole, place), renderDeployment(dnsRole, place, pod), service]
}

/** Garbage collected in small steps: half the memory for thousands of connections. */
const embeddedProxyNodeOptions = '--max-semi-space-size=4'

/** In Kubernetes; elsewhere there is no stock Envoy at hand. */
export const defaultProxyEngine = 'envoy'

export function renderProxyServer(server: ProxyServer, settings: RenderSettings): RenderedObject[] {
  const { networkConfig, managerImage, proxyImage, backends, port, xdsPort, engine = defaultProxyEngine } = server.spec
  const place = placeOf(server)
  const listened = [...new Set(backends.map((backend) => backend.port))].toSorted((one, other) => one - other)
  const published = new Set(backends.filter((backend) => backend.podNetwork).map((backend) => backend.port))
  const pod = {
    ...podParts(place, networkConfig, settings),
    image: managerImage ?? settings.image,
    companion: engine === 'envoy' ? envoyCompanion(proxyImage ?? settings.envoyImage, xdsPort, place) : undefined,
    nodeOptions: engine === 'embedded' ? embeddedProxyNodeOptions : undefined,
    // They are in the Service. Here they would make a new pod, and cut every connection, when a backend gets another port.
    ports: [],
  }
  const service = renderService(proxyRole, place, [
    { name: 'proxy', port, targetPort: port, protocol: 'TCP' },
    ...listened
      .filter((number) => number !== port && published.has(number))
      .map((number) => ({ name: `proxy-${number}`, port: number, targetPort: number, protocol: 'TCP' })),
  ])
  return [...renderRights(proxyRole, place), renderDeployment(proxyRole, place, pod), service]
}

interface NetworkFields {
  readonly serverIP?: string | undefined
  readonly serverIPs?: readonly string[] | undefined
  readonly networkAttachmentName?: string | undefined
  readonly networkAttachmentNamespace?: string | undefined
}

/** Where neither the component nor its Infra tells the network: what manifests of the Go program relied on. */
const customaryPrefixLength = 24

function podParts(
  place: Place,
  network: NetworkFields,
  { cidr, assignsUsers = false }: Pick<RenderSettings, 'cidr' | 'assignsUsers'>,
): Pick<PodParts, 'address' | 'attachment' | 'assignsUsers'> {
  const [address = ''] = serverAddressesOf(network)
  const written = /\/(\d+)$/.exec(network.serverIP ?? network.serverIPs?.[0] ?? '')?.[1]
  const known = cidr === undefined ? undefined : parseCidr(cidr)?.prefixLength
  return {
    address: `${address}/${known ?? written ?? customaryPrefixLength}`,
    attachment: attachmentOf(place, network),
    assignsUsers,
  }
}

/** The NetworkAttachmentDefinition of a component. */
export function attachmentOf(place: Place, network: NetworkFields): { name: string; namespace: string } {
  return {
    name: network.networkAttachmentName ?? '',
    namespace: network.networkAttachmentNamespace ?? place.namespace,
  }
}

export function placeOf({ metadata }: DHCPServer | DNSServer | ProxyServer): Place {
  return { name: metadata.name, namespace: metadata.namespace ?? 'default' }
}

function renderService(role: ComponentRole, place: Place, ports: readonly object[]): RenderedObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadataOf(role, place, place.name),
    spec: { type: 'ClusterIP', selector: selectorOf(role, place), ports },
  }
}

export function claimNameOf({ name }: Place): string {
  return `${name}-dhcp-leases`
}

function renderClaim(place: Place, volume: DHCPServer['spec']['persistentVolume']): RenderedObject {
  const { size = '25Mi', storageClassName = '' } = volume ?? {}
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: metadataOf(dhcpRole, place, claimNameOf(place)),
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: size } },
      ...(storageClassName === '' ? {} : { storageClassName }),
    },
  }
}
