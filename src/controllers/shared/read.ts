import { formatPath } from '../../api/fieldpath.ts'
import { withoutForeignImages } from '../../api/images.ts'
import type { Infra } from '../../api/infra.ts'
import { appsIngressStatus } from '../../api/infrastatus.ts'
import { type KindDefinition, type KindName, kinds } from '../../api/kinds.ts'
import { findNotYet } from '../../api/notyet.ts'
import { isMapping } from '../../api/shape.ts'
import { type Claim, claimOfAttachment, claimOfInfra } from '../../core/plan/claims.ts'
import type { Problem } from '../../core/result.ts'
import { readObject } from '../pod/object.ts'
import type { OwnObject } from './kinds.ts'

/** One of our objects, understood: what it asks for, or why it cannot be served. */
export interface Understood<Resource> {
  /** With all defaults; undefined if the fields are not what they should be. */
  readonly resource: Resource | undefined
  readonly problems: readonly Problem[]
  readonly warnings: readonly string[]
}

interface Remembered {
  readonly generation: number
  readonly understood: Understood<unknown>
}

/** By uid. A spec changes only with the generation, so each is read once however often its status changes. */
const memory = new Map<string, Remembered>()

/**
 * The API server checked the object against its own schema, which may be older or newer than this program: so it is
 * checked again here, and whatever is in it gives a resource or problems.
 */
export function understand<Resource>(
  name: KindName,
  definition: KindDefinition<Resource>,
  object: OwnObject,
): Understood<Resource> {
  const { uid = '', generation = 0 } = object.metadata
  const known = memory.get(uid)
  // A uid belongs to one object of one kind, so what is remembered for it is of this type.
  if (known?.generation === generation) return known.understood as Understood<Resource>
  const understood = read(name, definition, object)
  if (uid !== '') memory.set(uid, { generation, understood })
  return understood
}

/** For an object that is gone. */
export function forgetRead({ metadata: { uid = '' } }: OwnObject): void {
  memory.delete(uid)
}

function read<Resource>(name: KindName, definition: KindDefinition<Resource>, object: OwnObject): Understood<Resource> {
  const { apiVersion, kind, metadata, spec } = object
  const { name: objectName, namespace, uid, generation } = metadata
  const written = { apiVersion, kind, metadata: { name: objectName, namespace, uid, generation }, spec }
  const { manifest, warnings } = withoutForeignImages(name, written)
  const told = warnings.map(({ path, message }) => `${formatPath(path)}: ${message}`)
  const result = readObject(definition, manifest, (fields) =>
    told.push(`unknown to this version: ${fields.join(', ')}`),
  )
  const inVain = findNotYet(name, manifest).map(
    ({ path, message }): Problem => ({ reason: 'NotYetSupported', field: formatPath(path), message }),
  )
  return {
    resource: result.ok ? result.value : undefined,
    problems: [...(result.ok ? [] : result.problems), ...inVain],
    warnings: told,
  }
}

/** An Infra as its own fields ask for it. */
export function readInfra(object: OwnObject): Understood<Infra> {
  return understand('Infra', kinds.Infra, object)
}

/** The hosted cluster that an Infra's own fields or an attachment ask for; none where they cannot be read. */
export function claimsOf(object: OwnObject): Claim[] {
  const surrounding = { ownerReferences: object.metadata.ownerReferences, appsStatus: appsStatusOf(object) }
  if (object.kind === kinds.Infra.kind) {
    const { resource } = readInfra(object)
    return resource ? [claimOfInfra(resource, surrounding)] : []
  }
  const { resource } = understand('InfraClusterAttachment', kinds.InfraClusterAttachment, object)
  return resource ? [claimOfAttachment(resource, surrounding)] : []
}

/** Written by another part of the operator; whoever else may write a status is not trusted with addresses. */
function appsStatusOf({ status }: OwnObject): Claim['appsStatus'] {
  const parsed = appsIngressStatus.safeParse(status?.appsIngressStatus)
  return parsed.success ? parsed.data : undefined
}

/** The key of the Infra that a cluster is attached to. */
export function infraOfAttachment({ metadata, spec }: OwnObject): string[] {
  const reference: unknown = isMapping(spec) ? spec.infraRef : undefined
  const name = isMapping(reference) ? reference.name : undefined
  return typeof name === 'string' ? [`${metadata.namespace}/${name}`] : []
}

/** The Services that a ProxyServer leads to, of an object that nobody has checked yet. */
export function targetsIn({ spec }: OwnObject): { service: string; namespace: string }[] {
  const backends: unknown = isMapping(spec) ? spec.backends : undefined
  return (Array.isArray(backends) ? backends : []).flatMap((backend: unknown) => {
    if (!isMapping(backend)) return []
    const { targetService: service, targetNamespace: namespace } = backend
    return typeof service === 'string' && typeof namespace === 'string' ? [{ service, namespace }] : []
  })
}
