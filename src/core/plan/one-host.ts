import type { Infra } from '../../api/infra.ts'
import { serverAddressesOf } from '../../api/network.ts'
import { cidrsOverlap, parseCidr } from '../net/cidr.ts'
import type { Problem } from '../result.ts'

/** An Infra and the file it is in. */
export interface InfraInFile {
  readonly infra: Infra
  readonly file: string
}

/**
 * What an Infra cannot have because another one of the same host has it: its name, an address, its network. A host has a
 * network once, whichever interface it is on: answers to machines of the other one would go the wrong way.
 */
export function clashesOnHost(
  infra: Infra,
  others: readonly InfraInFile[],
  podAddresses: readonly string[] = [],
): Problem[] {
  for (const other of others) {
    const clash = nameClash(infra, other) ?? addressClash(infra, other) ?? networkClash(infra, other)
    if (clash) return [clash]
  }
  return podClash(infra, others, podAddresses)
}

/** The view for pods is of one cluster alone, and its ports are those of one proxy. */
function podClash(infra: Infra, others: readonly InfraInFile[], [address]: readonly string[]): Problem[] {
  const isForPods = ({ spec: { infraComponents } }: Infra): boolean =>
    infraComponents.dns?.enabled === true || infraComponents.proxy?.enabled === true
  const other = others.find((one) => isForPods(one.infra))
  if (address === undefined || !other || !isForPods(infra)) return []
  const message = `--pod-address ${address} serves Infra ${other.infra.metadata.name} in ${other.file} already: run an oooi of its own for this Infra, with another address and state directory`
  return [{ reason: 'AddressConflict', field: 'metadata.name', message }]
}

function nameClash({ metadata }: Infra, { infra, file }: InfraInFile): Problem | undefined {
  if (metadata.name !== infra.metadata.name) return undefined
  const message = `Infra ${metadata.name} is in ${file} already: each has leases of its own under its name`
  return { reason: 'NameTaken', field: 'metadata.name', message }
}

function addressClash(infra: Infra, { infra: other, file }: InfraInFile): Problem | undefined {
  const theirs = addressesOf(other)
  const own = addressesOf(infra).find(({ address }) => theirs.some((taken) => taken.address === address))
  if (!own) return undefined
  const component = theirs.find(({ address }) => address === own.address)?.component
  const message = `${own.address} is the address of ${component} of Infra ${other.metadata.name} in ${file} already: give each Infra its own`
  return { reason: 'AddressConflict', field: `spec.infraComponents.${own.component}.serverIP`, message }
}

function addressesOf({ spec }: Infra): { component: string; address: string }[] {
  return Object.entries(spec.infraComponents).flatMap(([component, server]) =>
    server?.enabled ? serverAddressesOf(server).map((address) => ({ component, address })) : [],
  )
}

function networkClash({ spec }: Infra, { infra: other, file }: InfraInFile): Problem | undefined {
  const { cidr } = spec.networkConfig
  const { cidr: theirs } = other.spec.networkConfig
  const [a, b] = [parseCidr(cidr), parseCidr(theirs)]
  if (!a || !b || !cidrsOverlap(a, b)) return undefined
  const message = `${cidr} overlaps ${theirs} of Infra ${other.metadata.name} in ${file}: a host can serve only one of them; a second cluster on the same VLAN is an InfraClusterAttachment`
  return { reason: 'NetworksOverlap', field: 'spec.networkConfig.cidr', message }
}
