import { type Checked, checkResource } from '../../api/check.ts'
import { type FieldPath, formatPath } from '../../api/fieldpath.ts'
import type { KindDefinition } from '../../api/kinds.ts'
import { isMapping } from '../../api/shape.ts'
import { failed, ok, type Result } from '../../core/result.ts'
import type { KubeObject } from '../../runtime/kube/object.ts'

/**
 * What an engine serves of its object: the spec, and what the manager found out for it. The rest of the status is
 * written by the engine itself or is nobody's business here, and must not look like a change.
 */
export function servedPart(object: KubeObject): unknown {
  const { apiVersion, kind, metadata } = object
  const { name, namespace, uid, generation } = metadata
  const { spec, status }: Readonly<Record<string, unknown>> = { ...object }
  const resolved = isMapping(status) ? status.resolved : undefined
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, generation },
    spec,
    ...(resolved === undefined ? {} : { status: { resolved } }),
  }
}

/**
 * Reads an object of the API server. Fields that a newer CRD has and this program does not know are left out: while an
 * upgrade is half done, its objects are served as far as they are understood.
 */
export function readObject<Resource>(
  kind: KindDefinition<Resource>,
  value: unknown,
  onUnknown: (fields: readonly string[]) => void,
): Result<Resource> {
  if (!isMapping(value)) return failed({ reason: 'WrongKind', message: `expected a ${kind.kind}, found no object` })
  const checked = checkResource(kind, value, 'cluster')
  const unknown = unknownFields(checked)
  if (unknown.length === 0) return toResult(checked)
  onUnknown(unknown.map(formatPath))
  return toResult(checkResource(kind, unknown.reduce(without, value), 'cluster'))
}

function unknownFields<Resource>(checked: Checked<Resource>): FieldPath[] {
  if (checked.ok) return []
  return checked.mistakes.filter(({ reason }) => reason === 'UnknownField').map(({ path }) => path)
}

function toResult<Resource>(checked: Checked<Resource>): Result<Resource> {
  if (checked.ok) return ok(checked.object)
  return failed(...checked.mistakes.map(({ reason, path, message }) => ({ reason, message, field: formatPath(path) })))
}

function without(value: unknown, [key, ...rest]: FieldPath): unknown {
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? without(item, rest) : item))
  if (!isMapping(value) || typeof key !== 'string') return value
  const { [key]: at, ...others } = value
  return rest.length === 0 ? others : { ...others, [key]: without(at, rest) }
}

/** The components beside this one, of an object that nobody has checked yet. */
export function neighboursIn(value: unknown): { name: string; address: string; mac: string }[] {
  const status = isMapping(value) && isMapping(value.status) ? value.status : undefined
  const list: unknown = isMapping(status?.resolved) ? status.resolved.neighbours : undefined
  return (Array.isArray(list) ? list : []).flatMap((entry: unknown) => {
    if (!isMapping(entry)) return []
    const { name, address, mac } = entry
    return typeof name === 'string' && typeof address === 'string' && typeof mac === 'string'
      ? [{ name, address, mac }]
      : []
  })
}
