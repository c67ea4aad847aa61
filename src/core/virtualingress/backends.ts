import type { VirtualIngress } from '../../api/virtualingress.ts'
import type { VirtualIngressBackend, VirtualIngressService } from '../../api/virtualingressbackend.ts'
import { selectorText } from './selector.ts'

export type Spec = VirtualIngress['spec']

/** A Service that a VirtualIngress asks for, and where. */
export interface BackendRef {
  /** Where in the spec, e.g. `spec.rules[0].http.paths[1].backend.service`. */
  readonly field: string
  /** The same route after an edit that only moved it: which host, path and kind of path, not which place in a list. */
  readonly key: string
  readonly host?: string | undefined
  readonly path?: string | undefined
  readonly pathType?: string | undefined
  readonly service: VirtualIngressService
}

type Place = Pick<BackendRef, 'host' | 'path' | 'pathType'>

export function backendRefs({ defaultBackend, rules = [] }: Spec): BackendRef[] {
  return [
    ...(defaultBackend ? servicesIn('spec.defaultBackend', defaultBackend, {}) : []),
    ...rules.flatMap(({ host, http }, ruleIndex) =>
      (http?.paths ?? []).flatMap(({ path, pathType, backend }, pathIndex) =>
        servicesIn(backendField(ruleIndex, pathIndex), backend, { host, path, pathType }),
      ),
    ),
  ]
}

export function backendField(ruleIndex: number, pathIndex: number): string {
  return `spec.rules[${ruleIndex}].http.paths[${pathIndex}].backend`
}

function servicesIn(field: string, { service, services = [] }: VirtualIngressBackend, place: Place): BackendRef[] {
  const key = routeKey(place)
  const one = service ? [{ field: `${field}.service`, key, ...place, service }] : []
  const several = services.map((entry, index) => ({
    field: `${field}.services[${index}]`,
    key: weightedKey(key, entry),
    ...place,
    service: entry,
  }))
  return [...one, ...several]
}

export function routeKey({ host = '', path = '', pathType = '' }: Place): string {
  return JSON.stringify([host, pathType, path])
}

/** Of several Services that share a route, each is known by what it asks for. */
export function weightedKey(key: string, service: VirtualIngressService): string {
  return `${key} ${service.name ?? selectorText(service)}`
}

/** What two of them cannot both have: class, host and path. */
export function routesOf({ ingressClassName = '', rules = [], output, parentRefs = [] }: Spec): string[] {
  const [parent] = parentRefs
  const place = output === 'HTTPRoute' ? `${parent?.namespace ?? ''}/${parent?.name}` : ingressClassName
  return rules.flatMap(({ host = '', http }) =>
    (http?.paths ?? []).map(({ path = '', pathType }) => JSON.stringify([output, place, host, pathType, path])),
  )
}
