import { parseDnsName } from '../net/name.ts'
import { isAddress } from '../proxy/backend.ts'
import type { Problem } from '../result.ts'
import type { ControlPlane } from './controlplane.ts'
import type { HostAndPort, HostedCluster, Publication } from './hostedcluster.ts'
import { type ControlPlaneService, metricsProxy, services } from './services.ts'

/** One service of the control plane as nodes of the hosted cluster call it, and where it really is. */
export interface Endpoint {
  /** Name of the backend that leads there. */
  readonly name: string
  /** Canonical names; or one address. Never empty, and never made up: each stands in the HostedCluster, a Route or a Service. */
  readonly hosts: readonly [string, ...string[]]
  readonly port: number
  readonly service: string
  readonly servicePort: number
}

export interface Discovery {
  readonly endpoints: readonly Endpoint[]
  /** Why some are missing. */
  readonly problems: readonly Problem[]
  /** What is served all the same, but is not as it should be. */
  readonly warnings: readonly Problem[]
}

type Found = { readonly endpoint: Endpoint; readonly warning?: Problem } | { readonly problem: Problem }

/**
 * Which names, ports and targets the nodes of this hosted cluster will use: by what it publishes, checked against what
 * it reports. What the spec says serves before the control plane is up, so that a first machine finds everything.
 */
export function discoverEndpoints(cluster: HostedCluster, plane: ControlPlane): Discovery {
  const found = services.map((service) => find(service, cluster, plane))
  const metricsHost = parseHost(plane.routeHost(metricsProxy.route))
  const metrics = metricsHost === undefined ? [] : [endpointOf(metricsProxy, [metricsHost], httpsPort)]
  const { distinct: endpoints, repeated } = told([
    ...found.flatMap((one) => ('endpoint' in one ? [one.endpoint] : [])),
    ...metrics,
  ])
  return {
    endpoints,
    problems: [...found.flatMap((one) => ('problem' in one ? [one.problem] : [])), ...repeated],
    warnings: found.flatMap((one) => ('endpoint' in one && one.warning ? [one.warning] : [])),
  }
}

/** Two services under one name and port cannot be told apart: the first has it. */
function told(endpoints: readonly Endpoint[]): { distinct: Endpoint[]; repeated: Problem[] } {
  const taken = new Map<string, string>()
  const repeated: Problem[] = []
  const distinct = endpoints.flatMap((endpoint): Endpoint[] => {
    const { name, port, hosts } = endpoint
    const [first, ...others] = hosts.filter((host) => !taken.has(`${host}:${port}`))
    for (const host of hosts.filter((one) => taken.has(`${one}:${port}`))) {
      const message = `${host}:${port} is published for ${taken.get(`${host}:${port}`)} and for ${name}: give each a name of its own`
      repeated.push({ reason: 'DuplicateHostname', message })
    }
    for (const host of hosts) if (!taken.has(`${host}:${port}`)) taken.set(`${host}:${port}`, name)
    return first === undefined ? [] : [{ ...endpoint, hosts: [first, ...others] }]
  })
  return { distinct, repeated }
}

const httpsPort = 443

function find(service: ControlPlaneService, cluster: HostedCluster, plane: ControlPlane): Found {
  const publication = cluster.publications.find((entry) => entry.service === service.name)
  const reported = service.reported && cluster.reported[service.reported]
  const place = publication ? placeOf(service, publication, cluster, plane) : undefined
  // A version without spec.services still reports where things are.
  const known = place ?? placeElsewhere(service, plane, reported)
  if ('problem' in known) return known
  const own = parseHost(known.host)
  if (own === undefined) {
    const message = `${service.name} is published as ${JSON.stringify(known.host)}, which is neither a DNS name nor an address`
    return { problem: { reason: 'PublishingUnusable', message } }
  }
  const told = parseHost(reported?.host)
  const further = service.name === 'APIServer' ? [parseHost(cluster.apiName)] : []
  const hosts = distinct(own, [...further, told])
  const endpoint = endpointOf(service, hosts, reported?.port ?? known.port)
  const differs = (told !== undefined && told !== own) || (reported?.port !== undefined && reported.port !== known.port)
  if (!differs) return { endpoint }
  const status = `${reported?.host}${reported?.port === undefined ? '' : `:${reported.port}`}`
  const message = `${service.name} is published as ${known.host}:${known.port}, but the status of the HostedCluster says ${status}: both names are served, on the port of the status`
  return { endpoint, warning: { reason: 'EndpointMismatch', message } }
}

type Place = { readonly host: string; readonly port: number } | { readonly problem: Problem }

function placeOf(
  service: ControlPlaneService,
  publication: Publication,
  cluster: HostedCluster,
  plane: ControlPlane,
): Place {
  const reported = service.reported && cluster.reported[service.reported]
  const published = plane.service(service.service)
  switch (publication.type) {
    case 'Route': {
      if (service.name === 'APIServer' && publication.host === undefined) return routeNeedsHostname
      const host = publication.host ?? plane.routeHost(service.route) ?? reported?.host
      return host === undefined ? pending(service, routeIsMissing(service, plane)) : { host, port: httpsPort }
    }
    case 'LoadBalancer': {
      const port = loadBalancerPort(service, cluster)
      if (port === undefined) return unsupported(service, publication)
      const host = publication.host ?? published?.loadBalancer ?? reported?.host
      const why = `Service ${service.service} has no address of a load balancer yet`
      return host === undefined ? pending(service, why) : { host, port }
    }
    case 'NodePort': {
      const port = published?.nodePort ?? publication.nodePort ?? reported?.port
      if (publication.host === undefined) return pending(service, 'nodePort.address is not given')
      const why = `Service ${service.service} has no node port yet`
      return port === undefined ? pending(service, why) : { host: publication.host, port }
    }
    default:
      return unsupported(service, publication)
  }
}

function placeElsewhere(service: ControlPlaneService, plane: ControlPlane, reported: HostAndPort | undefined): Place {
  const routed = plane.routeHost(service.route)
  const host = routed ?? reported?.host
  if (host === undefined) return pending(service, 'spec.services does not name it, and neither Route nor status tells')
  return { host, port: reported?.port ?? httpsPort }
}

function loadBalancerPort({ loadBalancerPort: port, name }: ControlPlaneService, cluster: HostedCluster) {
  const onAzure = cluster.annotations['hypershift.openshift.io/management-platform'] === 'Azure'
  return name === 'APIServer' && onAzure ? 7443 : port
}

function routeIsMissing({ route }: ControlPlaneService, plane: ControlPlane): string {
  if (plane.hasRoutes) return `Route ${route} is not there yet`
  return 'route.hostname is empty and this cluster has no Routes to learn it from: give the hostname'
}

const routeNeedsHostname: Place = {
  problem: {
    reason: 'PublishingUnusable',
    message:
      'APIServer is published as Route without route.hostname, which HyperShift does not serve: give the hostname',
  },
}

function pending(service: ControlPlaneService, why: string): Place {
  return {
    problem: { reason: 'EndpointPending', message: `where nodes call ${service.name} is not known yet: ${why}` },
  }
}

function unsupported(service: ControlPlaneService, { type }: Publication): Place {
  const message = `${service.name} is published as ${JSON.stringify(type)}, which nodes of KubeVirt cannot use: Route, NodePort${service.loadBalancerPort ? ' or LoadBalancer' : ''} would do`
  return { problem: { reason: 'PublishingUnusable', message } }
}

function endpointOf(
  { backend, service, port: servicePort }: Pick<ControlPlaneService, 'backend' | 'service' | 'port'>,
  hosts: Endpoint['hosts'],
  port: number,
): Endpoint {
  return { name: backend, hosts, port, service, servicePort }
}

/** Canonical name or address; undefined for what is neither. */
function parseHost(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (isAddress(text)) return text
  const name = parseDnsName(text)
  // A mistyped address is not the name of a machine.
  return name === undefined || /^[\d.]+$/.test(name) ? undefined : name
}

function distinct(first: string, others: readonly (string | undefined)[]): Endpoint['hosts'] {
  const further = new Set(others.filter((host) => host !== undefined && host !== first && !isAddress(host)))
  return [first, ...[...further].flatMap((host) => host ?? [])]
}
