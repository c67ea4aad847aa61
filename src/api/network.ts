import { z } from 'zod'
import { label, objectName, serverAddress } from './fields.ts'

/** Fields of `networkConfig` that all three components have alike. */
export const serverIP = serverAddress.describe(
  'Address of this component on the VLAN. A prefix length after it is accepted and ignored: the length comes from the network.',
)

export const serverIPs = z
  .array(serverAddress)
  .min(1)
  .max(2)
  .describe('Addresses of this component on the VLAN, instead of serverIP; two of them make it highly available.')

export const networkAttachmentName = objectName.describe(
  'NetworkAttachmentDefinition that puts the pod onto the VLAN. Not needed outside Kubernetes.',
)

export const networkAttachmentNamespace = label.describe('Namespace of the NetworkAttachmentDefinition.')

/** Every component's own addresses, without prefix length, whichever way they were written. */
export function serverAddressesOf(config: {
  readonly serverIP?: string | undefined
  readonly serverIPs?: readonly string[] | undefined
}): string[] {
  const written = config.serverIPs ?? (config.serverIP === undefined ? [] : [config.serverIP])
  return written.map(withoutPrefixLength)
}

function withoutPrefixLength(address: string): string {
  return address.split('/')[0] ?? address
}
