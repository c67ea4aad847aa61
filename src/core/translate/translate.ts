import { ruleProblems } from '../../api/check.ts'
import type { DHCPServer } from '../../api/dhcpserver.ts'
import type { DNSServer } from '../../api/dnsserver.ts'
import type { Infra } from '../../api/infra.ts'
import { kinds } from '../../api/kinds.ts'
import type { ProxyServer } from '../../api/proxyserver.ts'
import type { Mode } from '../../api/rules/rule.ts'
import { failed, ok, type Problem, type Result } from '../result.ts'
import { type Binding, ownBindings } from './binding.ts'
import { translateDhcp } from './dhcp.ts'
import { translateDns } from './dns.ts'
import { networkProblems } from './network.ts'
import { allBackends, translateProxy } from './proxy.ts'
import { type Scene, sceneOf } from './scene.ts'

/** What an Infra becomes. A component that is switched off is not there. */
export interface Components {
  readonly dhcp?: DHCPServer
  readonly dns?: DNSServer
  readonly proxy?: ProxyServer
}

/** What is known beyond the Infra itself. */
export interface Surroundings {
  /** The hosted clusters on the VLAN; default: the one that the Infra's own fields describe. */
  readonly bindings?: readonly Binding[] | undefined
  /** Where the pod network reaches the proxy, unless the Infra says it. */
  readonly internalProxyAddress?: string | undefined
  /** The proxy as it was asked for last: what is not known at the moment stays as it was there. */
  readonly served?: ProxyServer | undefined
  readonly mode?: Mode
}

/** The components of an Infra, complete and ready to be served, or all that stands in the way. */
export function translate(infra: Infra, surroundings: Surroundings = {}): Result<Components> {
  const bindings = surroundings.bindings ?? ownBindings(infra)
  const scene = sceneOf(infra, bindings, surroundings.internalProxyAddress, surroundings.served)
  const broken = [
    ...ruleProblems(kinds.Infra, infra, surroundings.mode ?? 'file'),
    ...networkProblems(infra),
    ...missingParts(scene),
  ]
  if (broken.length > 0) return failed(...broken)

  const { backends, problems: clashes } = allBackends(scene)
  const { dhcp, dns, proxy } = infra.spec.infraComponents
  const results = {
    dhcp: dhcp?.enabled ? translateDhcp(scene) : undefined,
    dns: dns?.enabled ? translateDns(scene, backends) : undefined,
    // Before anything of the control plane is known there is nothing to lead to.
    proxy: proxy?.enabled && clashes.length === 0 && backends.length > 0 ? translateProxy(scene, backends) : undefined,
  }
  const failures = [results.dhcp, results.dns, results.proxy].flatMap((result) =>
    result && !result.ok ? result.problems : [],
  )
  const problems = [...failures, ...clashes]
  if (problems.length > 0) return failed(...problems)
  return ok({
    ...(results.dhcp?.ok ? { dhcp: results.dhcp.value } : {}),
    ...(results.dns?.ok ? { dns: results.dns.value } : {}),
    ...(results.proxy?.ok ? { proxy: results.proxy.value } : {}),
  })
}

/** What a field of the Infra may leave out, but its components together cannot do without. */
function missingParts({ infra, bindings, proxyAddresses }: Scene): Problem[] {
  const { dns, proxy } = infra.spec.infraComponents
  const problems: Problem[] = []
  if (bindings.length === 0 && (dns?.enabled || proxy?.enabled)) {
    problems.push({
      reason: 'InvalidField',
      field: 'spec.infraComponents.dns.baseDomain',
      message: 'is needed with clusterName: DNS and proxy serve the names below clusterName.baseDomain',
    })
  }
  if (dns?.enabled && proxyAddresses.length === 0) {
    problems.push({
      reason: 'InvalidField',
      field: 'spec.infraComponents.proxy.serverIP',
      message: 'is needed, also if the proxy itself runs elsewhere: the names of the control plane point to it',
    })
  }
  return problems
}
