import type { VirtualIngress } from '../../api/virtualingress.ts'
import type { VirtualIngressBackend } from '../../api/virtualingressbackend.ts'
import type { RenderedObject } from '../render/object.ts'
import { backendField, routeKey } from './backends.ts'
import type { Targets } from './publish.ts'
import type { LastKnown } from './resolve.ts'

/** The Ingress: the spec as it is, with names where it has labels. */
export function renderIngress(
  { spec }: VirtualIngress,
  metadata: RenderedObject['metadata'],
  targets: Targets,
): RenderedObject {
  const { ingressClassName, defaultBackend, rules, tls } = spec
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata,
    spec: {
      ...(ingressClassName === undefined ? {} : { ingressClassName }),
      ...(defaultBackend ? { defaultBackend: backendAt('spec.defaultBackend', defaultBackend, targets) } : {}),
      ...(tls ? { tls } : {}),
      ...(rules
        ? {
            rules: rules.map(({ http, ...rule }, ruleIndex) => ({
              ...rule,
              ...(http
                ? {
                    http: {
                      paths: http.paths.map(({ backend, ...path }, pathIndex) => ({
                        ...path,
                        backend: backendAt(backendField(ruleIndex, pathIndex), backend, targets),
                      })),
                    },
                  }
                : {}),
            })),
          }
        : {}),
    },
  }
}

function backendAt(field: string, { resource }: VirtualIngressBackend, targets: Targets): object {
  if (resource) return { resource }
  const target = targets.get(`${field}.service`)
  return { service: { name: target?.name, port: target?.port } }
}

/** An Ingress as the API server gives it. */
export interface IngressView {
  readonly spec?: {
    readonly defaultBackend?: IngressBackendView
    readonly rules?: readonly {
      readonly host?: string
      readonly http?: {
        readonly paths?: readonly {
          readonly path?: string
          readonly pathType?: string
          readonly backend?: IngressBackendView
        }[]
      }
    }[]
  }
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly object[] } }
}

interface IngressBackendView {
  readonly service?: { readonly name?: string; readonly port?: { readonly number?: number; readonly name?: string } }
}

/** Where each route of an Ingress leads. */
export function lastKnownIn({ spec }: IngressView): Map<string, LastKnown> {
  const known = new Map<string, LastKnown>()
  const add = (key: string, backend: IngressBackendView | undefined): void => {
    const { name, port } = backend?.service ?? {}
    if (name !== undefined) known.set(key, { name, port: port?.number })
  }
  add(routeKey({}), spec?.defaultBackend)
  for (const { host, http } of spec?.rules ?? []) {
    for (const { path, pathType, backend } of http?.paths ?? []) add(routeKey({ host, path, pathType }), backend)
  }
  return known
}
