import type { Infra } from '../../api/infra.ts'
import { serverAddressesOf } from '../../api/network.ts'
import { parseCidr } from '../../core/net/cidr.ts'
import { ok, type Problem, type Result } from '../../core/result.ts'
import type { Logger } from '../../runtime/observe/log.ts'
import { AddedAddresses } from './added-addresses.ts'
import { addressNotAdded, findMissing, type MissingAddresses, readHostAddresses } from './addresses.ts'

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
  const added = new AddedAddresses({ mayAdd, log })
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
    prepare: (infra) => added.add(find(infra)),
    restore: () => added.remove(),
    surrender: () => added.surrender(),
    inherit: (earlier) => added.inherit(earlier),
  }
}

function serverAddresses(infra: Infra): string[] {
  const { dhcp, dns, proxy } = infra.spec.infraComponents
  return [dhcp, dns, proxy].flatMap((component) => (component?.enabled ? serverAddressesOf(component) : []))
}
