import { apiGroup } from '../../api/meta.ts'
import type { VirtualIngress } from '../../api/virtualingress.ts'
import { managedBy, managedByLabel, type RenderedObject } from '../render/object.ts'
import { shortHash } from '../short-hash.ts'

/** The prefix of labels and annotations that are ours. */
export const ownPrefix = `virtual-ingress.${apiGroup}`
const nameLabel = `${ownPrefix}/name`

/**
 * What belongs to the tool that wrote the source, and would make it take the copy for its own; and labels by which
 * KubeVirt's cloud controller and our own selectors find mirrored Services. A star stands for any characters.
 */
const keptLabels = [
  managedByLabel,
  'argocd.argoproj.io/*',
  'kustomize.toolkit.fluxcd.io/*',
  'helm.toolkit.fluxcd.io/*',
  'applyset.kubernetes.io/*',
  'cluster.x-k8s.io/tenant-service-*',
  `${ownPrefix}/*`,
]

/** With it cert-manager would write its paths into rules that are ours, and each would undo the other's. */
export const editInPlace = 'acme.cert-manager.io/http01-edit-in-place'

const keptAnnotations = [
  'kubectl.kubernetes.io/*',
  'argocd.argoproj.io/*',
  'meta.helm.sh/*',
  'helm.sh/*',
  'kustomize.toolkit.fluxcd.io/*',
  'helm.toolkit.fluxcd.io/*',
  'config.kubernetes.io/*',
  'kyverno.io/*',
  '*.kyverno.io/*',
  `${ownPrefix}/*`,
  editInPlace,
]

/** What the operator was told about the objects that it makes. */
export interface GeneratedDefaults {
  readonly nameSuffix: string
  /** Not copied, besides those that never are. */
  readonly excludedLabels: readonly string[]
  readonly excludedAnnotations: readonly string[]
}

export const generatedDefaults: GeneratedDefaults = {
  nameSuffix: '-generated',
  excludedLabels: [],
  excludedAnnotations: [],
}

export function generatedName({ metadata, spec }: VirtualIngress, { nameSuffix }: GeneratedDefaults): string {
  return spec.generated?.name ?? `${metadata.name}${nameSuffix}`
}

/** Labels and annotations of the source, without what must not be copied, then those for the copy alone. */
export function generatedMetadata(
  { metadata, spec }: VirtualIngress,
  name: string,
  { excludedLabels, excludedAnnotations }: GeneratedDefaults,
): RenderedObject['metadata'] {
  const { labels = {}, annotations = {}, namespace = '' } = metadata
  return {
    name,
    namespace,
    labels: {
      ...without(labels, [...keptLabels, ...excludedLabels]),
      ...without(spec.generated?.labels ?? {}, [`${ownPrefix}/*`]),
      ...ownLabels(metadata.name),
    },
    annotations: {
      ...without(annotations, [...keptAnnotations, ...excludedAnnotations]),
      ...without(spec.generated?.annotations ?? {}, [`${ownPrefix}/*`, editInPlace]),
    },
  }
}

/** Of everything that is made for a VirtualIngress; Services carry nothing else. */
export function ownLabels(name: string): Record<string, string> {
  return { [managedByLabel]: managedBy, [nameLabel]: name.length <= 63 ? name : shortHash(name) }
}

export function isEditedInPlace({ metadata, spec }: VirtualIngress): boolean {
  const given = [metadata.annotations, spec.generated?.annotations]
  return given.some((annotations) => annotations?.[editInPlace] !== undefined)
}

function without(map: Readonly<Record<string, string>>, patterns: readonly string[]): Record<string, string> {
  const isExcluded = patterns.map(matcher)
  return Object.fromEntries(Object.entries(map).filter(([name]) => !isExcluded.some((matches) => matches(name))))
}

function matcher(pattern: string): (name: string) => boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.\\+?^${}()|[\]]/g, '\\$&'))
  const expression = new RegExp(`^${parts.join('.*')}$`)
  return (name) => expression.test(name)
}
