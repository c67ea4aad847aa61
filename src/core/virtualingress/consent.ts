import type { ServiceView } from './service-index.ts'

/** A ReferenceGrant of the Gateway API, as the API server gives it. */
export interface GrantView {
  readonly metadata: { readonly namespace?: string }
  readonly spec?: {
    readonly from?: readonly { readonly group?: string; readonly kind?: string; readonly namespace?: string }[]
    readonly to?: readonly { readonly group?: string; readonly kind?: string; readonly name?: string }[]
  }
}

/** Who asks: the group and kind that a grant has to name. */
export interface Asker {
  readonly group: string
  readonly kind: string
}

/**
 * May objects of a namespace lead requests to this Service of another? Its owner has to say so: by an annotation on the
 * Service, or by a ReferenceGrant in its namespace.
 */
export function permitsFrom(
  { allowFrom = '', name }: ServiceView,
  from: string,
  { group, kind }: Asker,
  grants: readonly GrantView[],
): boolean {
  if (allowFrom.split(',').some((entry) => entry.trim() === from)) return true
  return grants.some(
    ({ spec }) =>
      spec?.from?.some((one) => one.group === group && one.kind === kind && one.namespace === from) === true &&
      spec.to?.some((one) => (one.group ?? '') === '' && one.kind === 'Service' && (one.name ?? name) === name) ===
        true,
  )
}
