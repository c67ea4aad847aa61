import { formatPath } from '../../api/fieldpath.ts'
import type { Infra } from '../../api/infra.ts'
import type { InfraClusterAttachment } from '../../api/infraclusterattachment.ts'
import { suggest } from '../../api/suggestion.ts'
import { cidrContains, parseCidr } from '../net/cidr.ts'
import { parseIpv4 } from '../net/ipv4.ts'
import type { Problem } from '../result.ts'
import { appsIngressOf, type Binding, domainOf } from '../translate/binding.ts'
import { claimOfAttachment } from './claims.ts'
import { machineNetworkMistakes, machineNetworksOf, machinesAnnotation } from './machine-networks.ts'

/** An Infra and the clusters that are attached to it, as files hold them. */
export interface AttachedInfra {
  readonly infra: Infra
  readonly attachments: readonly InfraClusterAttachment[]
}

/** Something about one of the objects, which knows its line. */
export interface Remark extends Problem {
  readonly about: Infra | InfraClusterAttachment
}

interface Attached {
  /** Undefined where nothing is attached: then the Infra's own fields are the cluster. */
  readonly bindings: readonly Binding[] | undefined
  readonly mistakes: readonly Remark[]
  readonly warnings: readonly Remark[]
}

/** Those of the attachments that belong to the Infra. */
export function attachedTo(infra: Infra, attachments: readonly InfraClusterAttachment[]): AttachedInfra {
  return { infra, attachments: attachments.filter(({ spec }) => spec.infraRef.name === infra.metadata.name) }
}

/** Attachments to an Infra that is in none of the files. */
export function attachedToNobody(attachments: readonly InfraClusterAttachment[], infras: readonly string[]): Remark[] {
  return attachments.flatMap((about): Remark[] => {
    const { name } = about.spec.infraRef
    if (infras.includes(name)) return []
    const meant = suggest(name, infras)
    const advice = meant === undefined ? 'add it, or correct the name' : `did you mean ${meant}?`
    const message = `there is no Infra ${JSON.stringify(name)} beside this attachment: ${advice}`
    return [{ about, reason: 'InfraMissing', field: 'spec.infraRef.name', message }]
  })
}

/**
 * The clusters of an Infra where no HostedCluster can be asked: all is in the attachments. As in Kubernetes the Infra's
 * own domain counts only while nothing is attached.
 */
export function bindAttached(attached: AttachedInfra): Attached {
  const { infra, attachments } = attached
  if (attachments.length === 0) return { bindings: undefined, mistakes: [], warnings: [] }
  const bindings = attachments.flatMap((attachment, index) => bindingOf(attachment, index === 0) ?? [])
  return {
    bindings,
    mistakes: [
      ...ownDomainLost(infra, bindings),
      ...withoutDomain(attachments),
      ...wrongNetworks(attached),
      ...duplicates(attachments),
    ],
    warnings: attachments.slice(1).flatMap(machinesUnknown),
  }
}

function bindingOf(attachment: InfraClusterAttachment, isFirst: boolean): Binding | undefined {
  const { dns, appsIngress, controlPlaneNamespace, apiServerService } = claimOfAttachment(attachment)
  const domain = domainOf(dns)
  if (domain === undefined) return undefined
  return {
    name: attachment.metadata.name,
    domain,
    controlPlaneNamespace,
    apiServerService,
    apps: appsIngressOf(appsIngress, { domain, clusterName: dns?.clusterName }),
    knowsItsMachines: false,
    machineNetworks: machineNetworksOf(attachment) ?? (isFirst ? [] : undefined),
  }
}

function wrongNetworks({ infra, attachments }: AttachedInfra): Remark[] {
  return machineNetworkMistakes(attachments, infra.spec.networkConfig.cidr).map((mistake) => ({
    ...mistake,
    reason: 'InvalidField',
    field: formatPath(['metadata', 'annotations', machinesAnnotation]),
  }))
}

function withoutDomain(attachments: readonly InfraClusterAttachment[]): Remark[] {
  return attachments.filter(({ spec }) => domainOf(spec.dns) === undefined).map(noDomain)
}

function noDomain(about: InfraClusterAttachment): Remark {
  const message = `clusterName and baseDomain are needed in a file, where no HostedCluster ${about.spec.hostedClusterRef.name} is asked for them`
  return { about, reason: 'InvalidField', field: 'spec.dns', message }
}

/** What no two clusters on one VLAN can both have; told to whichever comes later. */
function duplicates(attachments: readonly InfraClusterAttachment[]): Remark[] {
  const places = attachments.map((about) => {
    const { dns, controlPlaneNamespace } = claimOfAttachment(about)
    const apps = bindingOf(about, false)?.apps?.domain
    return {
      about,
      keys: [
        { field: 'metadata.name', value: about.metadata.name, what: 'an attachment' },
        { field: 'spec.dns', value: domainOf(dns), what: 'the domain' },
        { field: 'spec.appsIngress', value: apps && `*.${apps}`, what: 'the domain of the applications' },
        { field: 'spec.hostedClusterRef', value: controlPlaneNamespace, what: 'the control plane' },
      ],
    }
  })
  return places.flatMap(({ about, keys }, index) =>
    keys.flatMap(({ field, value, what }): Remark[] => {
      const sameAs = (other: (typeof keys)[number]) => other.field === field && other.value === value
      const earlier = places.slice(0, index).find((place) => place.keys.some(sameAs))
      if (value === undefined || !earlier) return []
      const reason = field === 'spec.hostedClusterRef' ? 'DuplicateHostedCluster' : 'DuplicateHostname'
      const message = `${value} is ${what} of attachment ${earlier.about.metadata.name} already: each cluster needs its own`
      return [{ about, reason: field === 'metadata.name' ? 'NameTaken' : reason, field, message }]
    }),
  )
}

/** Whoever attaches a second cluster does not mean to cut off the one that was there. */
function ownDomainLost(about: Infra, bindings: readonly Binding[]): Remark[] {
  const domain = domainOf(about.spec.infraComponents.dns)
  if (domain === undefined || bindings.some((binding) => binding.domain === domain)) return []
  const message = `${domain} would not be served while other clusters are attached to the Infra: attach it too, or leave clusterName and baseDomain out`
  return [{ about, reason: 'InvalidField', field: 'spec.infraComponents.dns.clusterName', message }]
}

function machinesUnknown(about: InfraClusterAttachment): Remark[] {
  if (machineNetworksOf(about) !== undefined) return []
  const message = `which machines belong to ${about.metadata.name} is not known: those that call their API as kubernetes.default.svc, or by no name, are not led there; give their networks in the annotation ${machinesAnnotation}`
  return [{ about, reason: 'FieldIgnored', field: 'metadata', message }]
}

/** The domain of the cluster whose machines have such addresses, if one is told by its networks. */
export function domainAt(address: string, bindings: readonly Binding[]): string | undefined {
  const number = parseIpv4(address) ?? -1
  const isIn = (network: string): boolean => {
    const cidr = parseCidr(network)
    return cidr !== undefined && cidrContains(cidr, number)
  }
  return bindings.find(({ machineNetworks = [] }) => machineNetworks.some(isIn))?.domain
}
