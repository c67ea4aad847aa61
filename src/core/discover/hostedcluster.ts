import { parsePath, valueAt } from '../../api/fieldpath.ts'
import { isMapping } from '../../api/shape.ts'

/** How a service of the control plane is published, as the HostedCluster says. */
export interface Publication {
  readonly service: string
  /** Route, LoadBalancer, NodePort, or what a version we do not know may say. */
  readonly type: string
  /** `hostname` of Route and LoadBalancer, `address` of NodePort. */
  readonly host: string | undefined
  readonly nodePort: number | undefined
}

export interface HostAndPort {
  readonly host: string
  readonly port: number | undefined
}

/** A HostedCluster as far as it is looked at. Whatever has another form than it should is as if it were not there. */
export interface HostedCluster {
  readonly name: string
  readonly namespace: string
  readonly isBeingDeleted: boolean
  readonly annotations: Readonly<Record<string, string>>
  readonly platform: string | undefined
  /** Its virtual machines are in another cluster. */
  readonly hasMachinesElsewhere: boolean
  readonly hasBaseDomainPassthrough: boolean
  readonly baseDomain: string | undefined
  /** Empty is not the same as absent: no label before the base domain. */
  readonly baseDomainPrefix: string | undefined
  readonly machineNetworks: readonly string[]
  readonly clusterNetworks: readonly string[]
  readonly serviceNetworks: readonly string[]
  /** Where each node has the API on its own loopback interface. */
  readonly nodeApiAddress: string | undefined
  readonly publications: readonly Publication[]
  readonly apiName: string | undefined
  readonly appsDomain: string | undefined
  readonly ingressDomain: string | undefined
  readonly disabledCapabilities: readonly string[]
  readonly reported: {
    readonly api: HostAndPort | undefined
    readonly ignition: HostAndPort | undefined
    readonly oauth: HostAndPort | undefined
  }
}

/** Reads a HostedCluster of any version, and anything else that claims to be one. */
export function readHostedCluster(object: unknown): HostedCluster {
  const text = (path: string) => textOf(at(object, path))
  const prefix = at(object, 'spec.dns.baseDomainPrefix')
  return {
    name: text('metadata.name') ?? '',
    namespace: text('metadata.namespace') ?? '',
    isBeingDeleted: text('metadata.deletionTimestamp') !== undefined,
    annotations: textsOf(at(object, 'metadata.annotations')),
    platform: text('spec.platform.type'),
    hasMachinesElsewhere: isMapping(at(object, 'spec.platform.kubevirt.credentials')),
    hasBaseDomainPassthrough: at(object, 'spec.platform.kubevirt.baseDomainPassthrough') === true,
    baseDomain: text('spec.dns.baseDomain'),
    baseDomainPrefix: typeof prefix === 'string' ? prefix : undefined,
    machineNetworks: networksOf(at(object, 'spec.networking.machineNetwork')),
    clusterNetworks: networksOf(at(object, 'spec.networking.clusterNetwork')),
    serviceNetworks: networksOf(at(object, 'spec.networking.serviceNetwork')),
    nodeApiAddress: text('spec.networking.apiServer.advertiseAddress'),
    publications: listOf(at(object, 'spec.services')).flatMap(publicationOf),
    apiName: text('spec.kubeAPIServerDNSName'),
    appsDomain: text('spec.configuration.ingress.appsDomain'),
    ingressDomain: text('spec.configuration.ingress.domain'),
    disabledCapabilities: listOf(at(object, 'spec.capabilities.disabled')).flatMap((item) => textOf(item) ?? []),
    reported: {
      api: hostAndPort(
        text('status.controlPlaneEndpoint.host'),
        portOf(at(object, 'status.controlPlaneEndpoint.port')),
      ),
      ignition: parseHostAndPort(text('status.ignitionEndpoint')),
      oauth: parseHostAndPort(/^https:\/\/([^/]+)/.exec(text('status.oauthCallbackURLTemplate') ?? '')?.[1]),
    },
  }
}

function publicationOf(entry: unknown): Publication[] {
  const service = textOf(at(entry, 'service'))
  if (service === undefined) return []
  const strategy = at(entry, 'servicePublishingStrategy')
  const type = textOf(at(strategy, 'type')) ?? ''
  const hosts: Readonly<Record<string, string>> = {
    Route: 'route.hostname',
    LoadBalancer: 'loadBalancer.hostname',
    NodePort: 'nodePort.address',
  }
  const path = Object.hasOwn(hosts, type) ? hosts[type] : undefined
  return [
    {
      service,
      type,
      host: path === undefined ? undefined : textOf(at(strategy, path)),
      nodePort: portOf(at(strategy, 'nodePort.port')),
    },
  ]
}

function parseHostAndPort(text: string | undefined): HostAndPort | undefined {
  const [, host, port] = /^([^:[\]]+)(?::(\d{1,5}))?$/.exec(text ?? '') ?? []
  return hostAndPort(host, portOf(Number(port)))
}

function hostAndPort(host: string | undefined, port: number | undefined): HostAndPort | undefined {
  return host === undefined ? undefined : { host, port }
}

export function at(value: unknown, path: string): unknown {
  return valueAt(value, parsePath(path))
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function portOf(value: unknown): number | undefined {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535 ? Number(value) : undefined
}

function networksOf(value: unknown): string[] {
  return listOf(value).flatMap((entry) => textOf(at(entry, 'cidr')) ?? [])
}

function textsOf(value: unknown): Record<string, string> {
  if (!isMapping(value)) return {}
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, text]) => (typeof text === 'string' ? [[key, text]] : [])),
  )
}
