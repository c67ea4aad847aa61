import type { ComponentRole } from '../../src/core/render/object.ts'
import { renderRights } from '../../src/core/render/rights.ts'
import type { AuditedRequest } from './audit.ts'

/** Rights and their use, both as `verb resource.group`, so that a test can ask for those that nobody used. */

export interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

export function rulesOfPods(role: ComponentRole): Rule[] {
  const [, rendered] = renderRights(role, { name: 'any', namespace: 'any' })
  return (rendered as unknown as { rules: Rule[] }).rules
}

export function rightsOf({ apiGroups, resources, verbs }: Rule): string[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}${group && `.${group}`}`)),
  )
}

/** Who creates by an apply needs both rights; the audit tells the patch only. */
export function usedBy({ verb, group, resource, status }: AuditedRequest): string[] {
  const verbs = verb === 'patch' && status === 201 ? ['patch', 'create'] : [verb]
  return verbs.map((used) => `${used} ${resource}${group && `.${group}`}`)
}

/** The rights of a component's pods that none of these requests needed. */
export function unusedRights(role: ComponentRole, requests: readonly AuditedRequest[]): string[] {
  const used = new Set(requests.flatMap(usedBy))
  return rulesOfPods(role)
    .flatMap(rightsOf)
    .filter((right) => !used.has(right))
}
