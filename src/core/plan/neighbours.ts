import type { Infra } from '../../api/infra.ts'
import { serverAddressesOf } from '../../api/network.ts'
import { parseRange, rangeContains } from '../net/range.ts'
import type { Problem } from '../result.ts'
import { attachmentOf } from '../translate/scene.ts'
import type { Layout } from './free-addresses.ts'

interface Network {
  readonly name: string
  readonly namespace: string
}

/** The NetworkAttachmentDefinition by which an Infra is on its wire. */
export function networkOf(infra: Infra): Network | undefined {
  const { networkAttachmentName: name, networkAttachmentNamespace: namespace = '' } = attachmentOf(infra)
  return name === undefined ? undefined : { name, namespace }
}

export function isOnNetwork(infra: Infra, { name, namespace }: Network): boolean {
  const own = networkOf(infra)
  return own?.name === name && own.namespace === namespace
}

/** Where its servers are; empty for one that does not run. */
export function layoutOf({ spec: { infraComponents } }: Infra): Layout {
  const { dhcp, dns, proxy } = infraComponents
  const address = (server: { enabled: boolean; serverIP?: string | undefined } | undefined): string =>
    (server?.enabled ? serverAddressesOf(server)[0] : undefined) ?? ''
  return { dhcp: address(dhcp), dns: address(dns), proxy: address(proxy) }
}

/** All that an Infra has or lends on its VLAN: addresses and `first-last`. */
export function takenBy(infra: Infra): string[] {
  const { dhcp } = infra.spec.infraComponents
  const range = dhcp?.enabled && dhcp.rangeStart && dhcp.rangeEnd ? [`${dhcp.rangeStart}-${dhcp.rangeEnd}`] : []
  return [...Object.values(layoutOf(infra)), ...range, infra.spec.networkConfig.gateway ?? ''].filter(Boolean)
}

/** What an Infra has on a wire that another one has or lends too. Infras may share a wire, but no address. */
export function addressConflicts(infra: Infra, others: readonly Infra[]): Problem[] {
  const network = networkOf(infra)
  if (!network) return []
  const { gateway } = infra.spec.networkConfig
  const own = takenBy(infra).filter((text) => text !== gateway)
  return others
    .filter((other) => other !== infra && isOnNetwork(other, network))
    .flatMap((other) =>
      own.flatMap((text): Problem[] => {
        const rival = takenBy(other).find((taken) => overlap(text, taken))
        if (rival === undefined) return []
        const { namespace, name } = other.metadata
        const message = `${text} is wanted by Infra ${namespace}/${name} too (${rival}), on the same NetworkAttachmentDefinition ${network.namespace}/${network.name}: move one of them`
        return [{ reason: 'AddressConflict', message }]
      }),
    )
}

function overlap(one: string, other: string): boolean {
  const [a, b] = [parseRange(one), parseRange(other)]
  return a !== undefined && b !== undefined && (rangeContains(a, b.first) || rangeContains(b, a.first))
}
