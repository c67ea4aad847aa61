import type { VirtualIngressInput } from '../../src/api/virtualingress.ts'
import { type AnyObject, endpointSlice } from './operator-world.ts'

/** VirtualIngresses and the Services that they look for, as tests make them. */

export const brief = {
  'cluster.x-k8s.io/cluster-name': 'kubernetes-cluster-docs-infra-prod',
  'cluster.x-k8s.io/tenant-service-name': 'relay-family',
  'cluster.x-k8s.io/tenant-service-namespace': 'relay',
}

export function service(
  namespace: string,
  name: string,
  labels: Record<string, string>,
  ports: readonly object[] = [{ name: 'http', port: 80 }],
): AnyObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace, labels }, spec: { ports } }
}

/** Of a Service with one pod, which may be ready. */
export const endpoints = (namespace: string, of: string, ready: boolean): AnyObject =>
  endpointSlice(namespace, of, { address: '198.18.0.1', port: 8080, portName: 'http', ready })

type Spec = VirtualIngressInput['spec']
type Rule = NonNullable<Spec['rules']>[number]
type Path = NonNullable<Rule['http']>['paths'][number]

export function path(at: string, app: string, more: Partial<Path['backend']['service']> = {}): Path {
  const backend = { service: { matchLabels: { app }, port: { number: 80 }, ...more } }
  return { path: at, pathType: 'Prefix', backend }
}

/** One host whose paths lead to Services with the label `app`. */
export function virtualIngress(
  namespace: string,
  name: string,
  spec: Partial<Spec> & { readonly paths?: readonly Path[] } = {},
  metadata: Partial<AnyObject['metadata']> = {},
): AnyObject {
  const { paths = [path('/', 'web')], ...rest } = spec
  return {
    apiVersion: 'hostedcluster.densityops.com/v1alpha1',
    kind: 'VirtualIngress',
    metadata: { ...metadata, name, namespace },
    spec: { rules: [{ host: `${name}.${namespace}.example.com`, http: { paths } }], ...rest },
  }
}

/** `/admin → a, / → b`: where the paths of an Ingress lead. */
export function leads(ingress: AnyObject | undefined): Record<string, string> {
  const rules: { http?: { paths: { path?: string; backend: { service: { name: string } } }[] } }[] =
    ingress?.spec?.rules ?? []
  const paths = rules.flatMap(({ http }) => http?.paths ?? [])
  return Object.fromEntries(paths.map(({ path: at = '', backend }) => [at, backend.service.name]))
}
