import { kinds } from '../../api/kinds.ts'
import { serverAddressesOf } from '../../api/network.ts'
import { parseMac } from '../../core/net/mac.ts'
import { type ComponentRole, componentLabel, dhcpRole, dnsRole, proxyRole } from '../../core/render/object.ts'
import { attachmentOf, placeOf } from '../../core/render/render.ts'
import { attachedMac } from '../../core/status/pods.ts'
import type { Controller } from '../../runtime/controller/controller.ts'
import { keyOf } from '../../runtime/kube/object.ts'
import type { Component } from './component-kind.ts'
import type { OwnObject } from './kinds.ts'
import type { Operator } from './operator.ts'
import { understand } from './read.ts'

interface Neighbour {
  readonly name: string
  readonly address: string
  readonly mac: string
}

interface Sibling {
  readonly role: ComponentRole
  readonly live: OwnObject
  readonly resource: Component | undefined
}

const suffixes: Readonly<Record<string, string>> = {
  [dhcpRole.app]: '-dhcp',
  [dnsRole.app]: '-dns',
  [proxyRole.app]: '-proxy',
}

/** The other components of the same Infra; a component made by hand has none. */
function siblingsOf({ caches }: Operator, { metadata }: OwnObject, infraName: string | undefined): Sibling[] {
  if (infraName === undefined) return []
  const key = `${metadata.namespace}/${infraName}`
  const dhcp = caches.dhcpServers.objects.get(`${key}-dhcp`)
  const dns = caches.dnsServers.objects.get(`${key}-dns`)
  const proxy = caches.proxyServers.objects.get(`${key}-proxy`)
  const all: Sibling[] = [
    ...(dhcp ? [{ role: dhcpRole, live: dhcp, ...understand('DHCPServer', kinds.DHCPServer, dhcp) }] : []),
    ...(dns ? [{ role: dnsRole, live: dns, ...understand('DNSServer', kinds.DNSServer, dns) }] : []),
    ...(proxy ? [{ role: proxyRole, live: proxy, ...understand('ProxyServer', kinds.ProxyServer, proxy) }] : []),
  ]
  return all.filter(({ live }) => live.metadata.uid !== metadata.uid)
}

/** Those whose pods are known: each component looks after the addresses of the others. */
export function neighboursOf(operator: Operator, live: OwnObject, infraName: string | undefined): Neighbour[] {
  return siblingsOf(operator, live, infraName).flatMap(({ role, live: { metadata }, resource }) => {
    const pods = operator.caches.pods.objects.byIndex('byComponent', `${role.app}/${keyOf(metadata)}`)
    const pod = pods.find((candidate) => candidate.metadata.deletionTimestamp === undefined)
    if (!resource || !pod) return []
    const [address] = serverAddressesOf(resource.spec.networkConfig)
    const mac = parseMac(attachedMac(pod, attachmentOf(placeOf(resource), resource.spec.networkConfig)) ?? '')
    return address === undefined || mac === undefined ? [] : [{ name: metadata.name, address, mac }]
  })
}

/** Looks again when a pod beside comes or goes, and when a neighbour begins or ends to speak of a conflict. */
export function followNeighbours({ caches }: Operator, controller: Controller, { app }: ComponentRole): void {
  controller.watch(caches.pods, ({ metadata: { namespace, labels } }) => {
    const name = labels?.[componentLabel]
    return name === undefined || labels?.app === app ? [] : besides(app, `${namespace}/${name}`)
  })
  for (const cache of [caches.dhcpServers, caches.dnsServers, caches.proxyServers]) {
    cache.onChange((change) => {
      const before = change.type === 'updated' ? conflictIn(change.previous) : undefined
      if (conflictIn(change.object) === before) return
      for (const key of besides(app, keyOf(change.object.metadata))) controller.trigger(key)
    })
  }
}

/** The component with this role of the Infra that the component of this key belongs to, by their names. */
function besides(app: string, key: string): string[] {
  const suffix = Object.values(suffixes).find((known) => key.endsWith(known))
  return suffix === undefined ? [] : [`${key.slice(0, -suffix.length)}${suffixes[app]}`]
}

function conflictIn({ status }: OwnObject): string | undefined {
  return status?.conditions?.find(({ type, status: is }) => type === 'AddressAnsweredByOther' && is === 'True')?.message
}

/** What the others say about this one's address; empty if it is its own. */
export function conflictAt(
  operator: Operator,
  live: OwnObject,
  infraName: string | undefined,
  address: string | undefined,
): string {
  for (const { live: sibling } of siblingsOf(operator, live, infraName)) {
    const about = conflictIn(sibling)
      ?.split('; ')
      .find((clause) => clause.startsWith(`${address} `))
    if (about !== undefined) return `AddressAnsweredByOther: ${about}`
  }
  return ''
}
