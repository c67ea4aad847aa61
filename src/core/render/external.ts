import type { Infra } from '../../api/infra.ts'
import type { InfraClusterAttachment } from '../../api/infraclusterattachment.ts'
import type { ProxyServer } from '../../api/proxyserver.ts'
import type { Binding } from '../translate/binding.ts'
import { shortened } from '../translate/naming.ts'
import { labelsOf, proxyRole, type RenderedObject, selectorOf } from './object.ts'

type Fields = NonNullable<InfraClusterAttachment['spec']['externalService']>

/** What ExternalDNS makes public names from. */
const hostnameAnnotation = 'external-dns.alpha.kubernetes.io/hostname'
const poolAnnotation = 'metallb.io/address-pool'

/**
 * Services of type LoadBalancer for users outside both networks, who have to log in: one of the Infra, one for each
 * cluster that asks for it. They lead to the pod side of the proxy, where ignition and konnectivity are not served.
 */
export function renderExternalServices(
  infra: Infra,
  attachments: readonly InfraClusterAttachment[],
  bindings: readonly Binding[],
  proxy: ProxyServer,
): RenderedObject[] {
  const { name, namespace = 'default' } = infra.metadata
  const own = infra.spec.infraComponents.proxy?.externalService
  const published = bindings.filter((binding) => binding.name === undefined || own?.publishAttachmentOAuths)
  const place = { name: proxy.metadata.name, namespace }
  return [
    ...(own?.enabled ? [render(place, `${name}-proxy-external`, own, oauthOf(proxy, published))] : []),
    ...attachments.flatMap(({ metadata, spec: { externalService } }) => {
      const binding = bindings.filter((candidate) => candidate.name === metadata.name)
      if (!externalService?.enabled || binding.length === 0) return []
      const serviceName = shortened(`${name}-proxy-external-${metadata.name}`)
      return [render(place, serviceName, externalService, oauthOf(proxy, binding))]
    }),
  ]
}

interface Login {
  readonly names: readonly string[]
  readonly ports: readonly number[]
}

function oauthOf({ spec }: ProxyServer, bindings: readonly Binding[]): Login {
  const namespaces = bindings.map(({ controlPlaneNamespace }) => controlPlaneNamespace)
  const backends = spec.backends.filter(
    ({ targetService, targetNamespace = '' }) =>
      targetService === 'oauth-openshift' && namespaces.includes(targetNamespace),
  )
  const names = backends.flatMap(({ hostname, alternateHostnames = [] }) => [hostname, ...alternateHostnames])
  const ports = new Set(backends.map(({ port }) => port))
  return { names: [...new Set(names)].toSorted(), ports: ports.size > 0 ? [...ports] : [spec.port] }
}

function render(
  place: { name: string; namespace: string },
  name: string,
  { addressPoolName, labels = {}, annotations = {} }: Fields,
  { names, ports }: Login,
): RenderedObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      namespace: place.namespace,
      labels: { ...labels, ...labelsOf(proxyRole, place) },
      annotations: {
        ...(names.length > 0 ? { [hostnameAnnotation]: names.join(',') } : {}),
        ...(addressPoolName === undefined ? {} : { [poolAnnotation]: addressPoolName }),
        ...annotations,
      },
    },
    spec: {
      type: 'LoadBalancer',
      selector: selectorOf(proxyRole, place),
      ports: ports
        .toSorted((one, other) => one - other)
        .map((port) => ({
          name: `proxy-${port}`,
          port,
          targetPort: port,
          protocol: 'TCP',
        })),
    },
  }
}
