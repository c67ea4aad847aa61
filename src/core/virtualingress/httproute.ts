import type { VirtualIngress } from '../../api/virtualingress.ts'
import type { VirtualIngressBackend } from '../../api/virtualingressbackend.ts'
import type { RenderedObject } from '../render/object.ts'
import type { Problem } from '../result.ts'
import { shortHash } from '../short-hash.ts'
import { backendField, routeKey } from './backends.ts'
import type { Targets } from './publish.ts'
import type { LastKnown } from './resolve.ts'

interface Rule {
  readonly matches: readonly { readonly path: { readonly type: string; readonly value: string } }[]
  readonly backendRefs: readonly object[]
}

/** The most that one HTTPRoute can have; which route a rule is in makes no difference to what it matches. */
const mostRules = 16
const wholeHost = { type: 'PathPrefix', value: '/' }

/**
 * HTTPRoutes: one for each host, as an HTTPRoute has its hosts for all of its rules. The default backend is repeated
 * for every host that does not say itself what becomes of all its other paths, since a Gateway looks no further than
 * to the routes of the host.
 */
export function renderRoutes(
  { spec }: VirtualIngress,
  metadata: RenderedObject['metadata'],
  targets: Targets,
): RenderedObject[] {
  const { defaultBackend, parentRefs = [] } = spec
  const fallback = defaultBackend && {
    matches: [{ path: wholeHost }],
    backendRefs: backendsAt('spec.defaultBackend', defaultBackend, targets),
  }
  const hosts = rulesByHost({ spec }, targets)
  if (fallback && !hosts.has('')) hosts.set('', [])
  return [...hosts].flatMap(([host, own], hostIndex) => {
    const isComplete = own.some(({ matches }) => matches.some(({ path }) => isWholeHost(path)))
    const rules = fallback && !isComplete ? [...own, fallback] : own
    const parts = Array.from({ length: Math.ceil(rules.length / mostRules) }, (_, index) => index)
    return parts.map((part) => ({
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: { ...metadata, name: routeName(metadata.name, hostIndex === 0 ? '' : host, hostIndex, part) },
      spec: {
        parentRefs,
        ...(host === '' ? {} : { hostnames: [host] }),
        rules: rules.slice(part * mostRules, (part + 1) * mostRules),
      },
    }))
  })
}

/** What an Ingress can say and an HTTPRoute cannot, and the other way round. */
export function outputProblems({ spec }: VirtualIngress): Problem[] {
  const paths = (spec.rules ?? []).flatMap(({ http }, ruleIndex) =>
    (http?.paths ?? []).map((path, pathIndex) => ({ ...path, field: backendField(ruleIndex, pathIndex) })),
  )
  if (spec.output === 'HTTPRoute') {
    return paths
      .filter(({ pathType }) => pathType === 'ImplementationSpecific')
      .map(({ field }) => ({
        reason: 'InvalidField',
        field: field.replace(/backend$/, 'pathType'),
        message: 'is ImplementationSpecific: an HTTPRoute has Exact and Prefix only',
      }))
  }
  const backends = [
    ...paths,
    ...(spec.defaultBackend ? [{ backend: spec.defaultBackend, field: 'spec.defaultBackend' }] : []),
  ]
  return backends
    .filter(({ backend }) => backend.services !== undefined)
    .map(({ field }) => ({
      reason: 'InvalidField',
      field: `${field}.services`,
      message: 'is for output HTTPRoute: an Ingress leads each path to one Service; use service',
    }))
}

/** What is left out of an HTTPRoute, because it is the Gateway's to say. */
export function ignoredByRoutes({ spec }: VirtualIngress): Problem[] {
  if (spec.output !== 'HTTPRoute') return []
  const said = [...(spec.tls?.length ? ['spec.tls'] : []), ...(spec.ingressClassName ? ['spec.ingressClassName'] : [])]
  return said.map((field) => ({
    reason: 'FieldIgnored',
    message: `${field} is without effect on an HTTPRoute: the listeners of the Gateway have it`,
  }))
}

function rulesByHost({ spec }: Pick<VirtualIngress, 'spec'>, targets: Targets): Map<string, Rule[]> {
  const hosts = new Map<string, Rule[]>()
  for (const [ruleIndex, { host = '', http }] of (spec.rules ?? []).entries()) {
    const rules = hosts.get(host) ?? []
    hosts.set(host, rules)
    for (const [pathIndex, { path, pathType, backend }] of (http?.paths ?? []).entries()) {
      rules.push({
        matches: [{ path: { type: pathType === 'Exact' ? 'Exact' : 'PathPrefix', value: path ?? '/' } }],
        backendRefs: backendsAt(backendField(ruleIndex, pathIndex), backend, targets),
      })
    }
  }
  return hosts
}

function backendsAt(
  field: string,
  { service, services = [], resource }: VirtualIngressBackend,
  targets: Targets,
): object[] {
  if (resource) return [{ group: resource.apiGroup ?? '', kind: resource.kind, name: resource.name }]
  const refAt = (at: string, weight?: number): object => {
    const target = targets.get(at)
    return { name: target?.name, port: target?.number, ...(weight === undefined ? {} : { weight }) }
  }
  if (service) return [refAt(`${field}.service`)]
  return services.map(({ weight = 1 }, index) => refAt(`${field}.services[${index}]`, weight))
}

/** The first host has the plain name, so that adding others renames nothing. */
function routeName(name: string, host: string, hostIndex: number, part: number): string {
  if (hostIndex === 0 && part === 0) return name
  const suffix = `${hostIndex === 0 ? '' : `-${shortHash(host)}`}${part === 0 ? '' : `-${part + 1}`}`
  return `${name.slice(0, 235)}${suffix}`
}

function isWholeHost({ type, value }: { type: string; value: string }): boolean {
  return type === wholeHost.type && value === wholeHost.value
}

/** An HTTPRoute as the API server gives it. */
export interface RouteView {
  readonly metadata: { readonly name: string; readonly generation?: number }
  readonly spec?: {
    readonly parentRefs?: readonly object[]
    readonly hostnames?: readonly string[]
    readonly rules?: readonly {
      readonly matches?: readonly { readonly path?: { readonly type?: string; readonly value?: string } }[]
      readonly backendRefs?: readonly { readonly name?: string; readonly port?: number }[]
    }[]
  }
  readonly status?: {
    readonly parents?: readonly {
      readonly parentRef?: { readonly name?: string }
      readonly conditions?: readonly {
        readonly type: string
        readonly status: string
        readonly reason?: string
        readonly message?: string
        readonly observedGeneration?: number
      }[]
    }[]
  }
}

/** Where each route leads that has one Service. */
export function lastKnownInRoutes(routes: readonly RouteView[]): Map<string, LastKnown> {
  const known = new Map<string, LastKnown>()
  for (const { spec } of routes) {
    const host = spec?.hostnames?.[0]
    for (const { matches = [], backendRefs = [] } of spec?.rules ?? []) {
      const [backend, ...others] = backendRefs
      const path = matches[0]?.path
      if (backend?.name === undefined || others.length > 0 || !path) continue
      const pathType = path.type === 'Exact' ? 'Exact' : 'Prefix'
      known.set(routeKey({ host, path: path.value, pathType }), { name: backend.name, port: backend.port })
    }
  }
  return known
}
