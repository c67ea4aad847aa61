import { checkResource } from '../../api/check.ts'
import { type FieldPath, formatPath } from '../../api/fieldpath.ts'
import type { KindDefinition } from '../../api/kinds.ts'
import { apiGroup } from '../../api/meta.ts'
import type { Problem } from '../result.ts'

/** The annotations by which a HostedCluster asks for an Infra, or for its place on one. */
export const annotationNames = [
  'network',
  'cidr',
  'gateway',
  'dns-servers',
  'dhcp-range',
  'apps-pool',
  'infra',
] as const
export type AnnotationName = (typeof annotationNames)[number]

export function annotationProblem(name: AnnotationName, message: string): Problem {
  return { reason: 'AnnotationInvalid', field: `metadata.annotations[${apiGroup}/${name}]`, message }
}

/** Which annotation gave a field, by how its path begins. */
const givenBy: readonly (readonly [field: string, annotation: AnnotationName])[] = [
  ['spec.networkConfig.networkAttachment', 'network'],
  ['spec.networkConfig.gateway', 'gateway'],
  ['spec.networkConfig.dnsServers', 'dns-servers'],
  ['spec.infraComponents.dhcp.range', 'dhcp-range'],
  ['spec.infraComponents.dhcp.exclusions', 'apps-pool'],
  ['spec.appsIngress', 'apps-pool'],
  ['spec.infraRef', 'infra'],
  ['spec', 'cidr'],
]

/** What the API server would refuse in the object, told as mistakes in the annotations that it was made from. */
export function mistakesIn<Resource>(kind: KindDefinition<Resource>, object: unknown): Problem[] {
  const checked = checkResource(kind, object, 'cluster')
  return checked.ok ? [] : checked.mistakes.map(({ path, message }) => told(path, message))
}

function told(path: FieldPath, message: string): Problem {
  const field = formatPath(path)
  const [, annotation] = givenBy.find(([start]) => field.startsWith(start)) ?? []
  // The object is called as the HostedCluster is, which may have a name that ours must not have.
  return annotation ? annotationProblem(annotation, message) : { reason: 'AnnotationInvalid', field, message }
}
