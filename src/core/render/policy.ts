import { apiGroup } from '../../api/meta.ts'
import { shortHash } from '../short-hash.ts'
import { managedBy, managedByLabel, type Place, proxyRole, type RenderedObject, selectorOf } from './object.ts'

/** Names the Infra that a NetworkPolicy in another namespace exists for. */
export const infraAnnotation = `${apiGroup}/infra`

/** Pods that the proxy has to reach: those that a Service selects, at the ports they really listen on. */
export interface PolicyTarget {
  readonly selector: Readonly<Record<string, string>>
  readonly ports: readonly number[]
}

/** A NetworkPolicy as far as it matters here. */
export interface Isolation {
  readonly podSelector?: {
    readonly matchLabels?: Readonly<Record<string, string>>
    readonly matchExpressions?: unknown
  }
  readonly policyTypes?: readonly string[]
}

/**
 * Opens the pods of a control plane to the pods of one proxy, at the ports it needs. A policy also closes: pods that
 * none selected before would from then on be reached by the proxy alone. So only pods that others have closed already
 * are opened; undefined if there are none.
 */
export function renderNetworkPolicy(
  infra: Place,
  targetNamespace: string,
  targets: readonly PolicyTarget[],
  others: readonly Isolation[],
): RenderedObject | undefined {
  const closed = targets.filter(({ selector }) => others.some((policy) => selects(policy, selector)))
  const apps = [...new Set(closed.flatMap(({ selector }) => selector.app ?? []))].toSorted()
  const ports = [...new Set(closed.flatMap((target) => target.ports))].toSorted((one, other) => one - other)
  if (apps.length === 0 || ports.length === 0) return undefined
  const proxy = { name: `${infra.name}-proxy`, namespace: infra.namespace }
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: {
      name: `allow-infrastructure-${shortHash(`${infra.namespace}/${infra.name}`)}`,
      namespace: targetNamespace,
      labels: { 'app.kubernetes.io/name': 'oooi', [managedByLabel]: managedBy },
      annotations: { [infraAnnotation]: `${infra.namespace}/${infra.name}` },
    },
    spec: {
      podSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: apps }] },
      policyTypes: ['Ingress'],
      ingress: [
        {
          from: [
            {
              namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': infra.namespace } },
              podSelector: { matchLabels: selectorOf(proxyRole, proxy) },
            },
          ],
          ports: ports.map((port) => ({ protocol: 'TCP', port })),
        },
      ],
    },
  }
}

/** Expressions are not worked out: a policy that has some is taken to select, and opening is what is left to do. */
function selects({ podSelector = {}, policyTypes = ['Ingress'] }: Isolation, labels: Readonly<Record<string, string>>) {
  if (!policyTypes.includes('Ingress')) return false
  return Object.entries(podSelector.matchLabels ?? {}).every(([key, value]) => labels[key] === value)
}
