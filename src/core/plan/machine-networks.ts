import type { InfraClusterAttachment } from '../../api/infraclusterattachment.ts'
import { cidrContains, cidrsOverlap, parseCidr } from '../net/cidr.ts'

/** On an attachment in a file: the networks of its machines, which in Kubernetes are known by their leases. */
export const machinesAnnotation = 'hostedcluster.densityops.com/machines'

export function machineNetworksOf({ metadata }: InfraClusterAttachment): string[] | undefined {
  return metadata.annotations?.[machinesAnnotation]
    ?.split(',')
    .map((network) => network.trim())
    .filter((network) => network !== '')
}

interface Mistake {
  readonly about: InfraClusterAttachment
  readonly message: string
}

/** What is wrong with the networks of machines: a machine is on the VLAN, and counts to one cluster. */
export function machineNetworkMistakes(attachments: readonly InfraClusterAttachment[], vlan: string): Mistake[] {
  return attachments.flatMap((about, index) => {
    const networks = machineNetworksOf(about)
    if (networks === undefined) return []
    const refuse = (message: string): Mistake => ({ about, message: `${message} (${machinesAnnotation})` })
    if (networks.length === 0) return [refuse('no network is given: leave the annotation out, or name networks')]
    const earlier = attachments.slice(0, index)
    return networks.flatMap((network) => {
      const wrong = mistakeOf(network, vlan) ?? rivalOf(network, earlier)
      return wrong === undefined ? [] : [refuse(wrong)]
    })
  })
}

function mistakeOf(text: string, vlanText: string): string | undefined {
  const [network, vlan] = [parseCidr(text), parseCidr(vlanText)]
  if (!network) {
    return `${JSON.stringify(text)} is no network: give networks such as 192.168.100.128/26, separated by commas`
  }
  const isInside = vlan && cidrContains(vlan, network.network) && network.prefixLength >= vlan.prefixLength
  return isInside ? undefined : `${text} is not within ${vlanText}, the network of the Infra: no machine can be there`
}

function rivalOf(text: string, others: readonly InfraClusterAttachment[]): string | undefined {
  const network = parseCidr(text)
  for (const other of others) {
    const rival = machineNetworksOf(other)?.find((theirs) => {
      const parsed = parseCidr(theirs)
      return network && parsed && cidrsOverlap(network, parsed)
    })
    if (rival === undefined) continue
    return `${text} overlaps ${rival} of attachment ${other.metadata.name}: a machine there would belong to both`
  }
  return undefined
}
