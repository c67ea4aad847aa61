import type { Infra } from '../../api/infra.ts'
import { serverAddressesOf } from '../../api/network.ts'
import { parseCidr } from '../../core/net/cidr.ts'
import { ok, type Problem, type Result } from '../../core/result.ts'
import type { Logger } from '../../runtime/observe/log.ts'
import {
  addAddresses,
  addressNotAdded,
  findMissing,
  type MissingAddresses,
  readHostAddresses,
  removeAddresses,
} from './addresses.ts'

/** On an Infra in a file: the interface on its VLAN, where one process serves several. */
export const interfaceAnnotation = 'hostedcluster.densityops.com/interface'

interface HostOptions {
  readonly interfaceName: string | undefined
  readonly mayAdd: boolean
  readonly log: Logger
}

/** What has to be true of the host before anything binds to its addresses. */
export interface HostPreparation {
  /** The addresses an Infra serves on are there, or have been added, or the problems say which are not. */
  readonly prepare: (infra: Infra) => Promise<readonly Problem[]>
  /** What of that is not true, without changing anything. */
  readonly check: (infra: Infra) => readonly Problem[]
  /** The addresses it serves on that no interface has. */
  readonly absent: (infra: Infra) => ReadonlySet<string>
  /** The interface on the VLAN of the Infra; undefined if neither it nor the host says which. */
  readonly interfaceOf: (infra: Infra) => string | undefined
  /** Takes away what `prepare` added. */
  readonly restore: () => Promise<void>
  /** Leaves what was added to a process that takes over, which then takes it away at its end. */
  readonly surrender: () => MissingAddresses[]
  readonly inherit: (added: readonly MissingAddresses[]) => void
}

export function createHostPreparation({ interfaceName, mayAdd, log }: HostOptions): HostPreparation {
  const added: MissingAddresses[] = []
  const named = (infra: Infra) => infra.metadata.annotations?.[interfaceAnnotation] ?? interfaceName
  const find = (infra: Infra): Result<MissingAddresses> => {
    const vlan = parseCidr(infra.spec.networkConfig.cidr)
    if (!vlan) return ok({ interfaceName: '', addresses: [] })
    return findMissing({ addresses: serverAddresses(infra), vlan, interfaceName: named(infra) }, readHostAddresses())
  }
  return {
    interfaceOf: (infra) => {
      const found = find(infra)
      return named(infra) ?? (found.ok ? found.value.interfaceName : undefined)
    },
    absent: (infra) => {
      const held = [...readHostAddresses().values()].flat()
      return new Set(serverAddresses(infra).filter((address) => !held.includes(address)))
    },
    check: (infra) => {
      const found = find(infra)
      if (!found.ok) return found.problems
      return mayAdd ? [] : addressNotAdded(found.value)
    },
    prepare: async (infra) => {
      const found = find(infra)
      if (!found.ok) return found.problems
      const missing = found.value
      if (missing.addresses.length === 0) return []
      if (!mayAdd) return addressNotAdded(missing)
      const result = await addAddresses(missing)
      if (!result.ok) return result.problems
      added.push(missing)
      log.info({ interface: missing.interfaceName, addresses: missing.addresses }, 'addresses added')
      return []
    },
    restore: async () => {
      for (const addresses of added.splice(0)) await removeAddresses(addresses)
    },
    surrender: () => added.splice(0),
    inherit: (earlier) => void added.push(...earlier),
  }
}

function serverAddresses(infra: Infra): string[] {
  const { dhcp, dns, proxy } = infra.spec.infraComponents
  return [dhcp, dns, proxy].flatMap((component) => (component?.enabled ? serverAddressesOf(component) : []))
}
