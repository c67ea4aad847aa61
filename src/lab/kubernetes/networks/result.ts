import { z } from 'zod'
import type { NetworkSelection } from './selection.ts'

/** What a CNI plugin says it made (versions 0.3.0 to 1.0.0). */
export const resultSchema = z.looseObject({
  interfaces: z
    .array(z.looseObject({ name: z.string(), mac: z.string().optional(), sandbox: z.string().optional() }))
    .optional(),
  ips: z.array(z.looseObject({ address: z.string() })).optional(),
})

export type CniResult = z.infer<typeof resultSchema>

/** One entry of the annotation in which a pod's networks are reported. */
export interface NetworkStatus {
  readonly name: string
  readonly interface: string
  readonly ips: readonly string[]
  readonly mac: string
  readonly default?: true
  readonly dns: object
}

export function podNetworkStatus(result: CniResult): NetworkStatus {
  return { ...statusOf('pods', 'eth0', result), default: true }
}

export function attachedStatus(
  { namespace, name, interface: wanted }: NetworkSelection,
  result: CniResult,
): NetworkStatus {
  return statusOf(`${namespace}/${name}`, wanted, result)
}

function statusOf(name: string, interfaceName: string, { interfaces = [], ips = [] }: CniResult): NetworkStatus {
  const inside = interfaces.find((one) => one.name === interfaceName && one.sandbox)
  // Without the prefix length, as Multus reports them.
  const addresses = ips.map(({ address }) => address.replace(/\/\d+$/, ''))
  return { name, interface: interfaceName, ips: addresses, mac: inside?.mac ?? '', dns: {} }
}
