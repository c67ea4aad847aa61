import type { ProxyServer } from '../../api/proxyserver.ts'
import { mayUseNamespace } from '../../core/plan/consent.ts'
import { resolveBackend } from '../../core/plan/targets.ts'
import type { RenderedObject } from '../../core/render/object.ts'
import { type PolicyTarget, renderNetworkPolicy } from '../../core/render/policy.ts'
import type { KubeObject } from '../../runtime/kube/object.ts'
import { infraOfPolicy } from '../shared/caches.ts'
import { consentOf, type Operator } from '../shared/operator.ts'
import { targetWorld } from '../shared/targets.ts'

/** The policies that let the proxy of an Infra reach control planes elsewhere: one for each namespace that permits it. */
export function wantedPolicies(
  operator: Operator,
  infra: KubeObject,
  proxy: ProxyServer | undefined,
): RenderedObject[] {
  const { caches } = operator
  const { name, namespace = '' } = infra.metadata
  const backends = proxy?.spec.backends ?? []
  const namespaces = new Set(backends.flatMap(({ targetNamespace }) => targetNamespace ?? []))
  namespaces.delete(namespace)
  const consent = consentOf(operator)
  const world = targetWorld(caches)
  return [...namespaces]
    .filter((target) => mayUseNamespace(namespace, target, consent))
    .flatMap((target) => {
      const targets = backends
        .filter(({ targetNamespace }) => targetNamespace === target)
        .map((backend): PolicyTarget => {
          const selector = world.serviceOf(target, backend.targetService ?? '')?.spec?.selector ?? {}
          const endpoints = resolveBackend(backend, world).backend.endpoints ?? []
          return { selector, ports: endpoints.map(({ port }) => port) }
        })
      const others = caches.networkPolicies.objects
        .byIndex('byNamespace', target)
        .filter((policy) => infraOfPolicy(policy).length === 0)
        .map(({ spec = {} }) => spec)
      return renderNetworkPolicy({ name, namespace }, target, targets, others) ?? []
    })
}
