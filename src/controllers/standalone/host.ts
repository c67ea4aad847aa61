import type { Infra } from '../../api/infra.ts'
import { serverAddressesOf } from '../../api/network.ts'
import { parseCidr } from '../../core/net/cidr.ts'
import type { Problem } from '../../core/result.ts'
import type { Logger } from '../../runtime/observe/log.ts'
import {
  addAddresses,
  addressNotAdded,
  findMissing,
  type MissingAddresses,
  readHostAddresses,
  removeAddresses,
} from './addresses.ts'

interface HostOptions {
  readonly interfaceName: string | undefined
  readonly mayAdd: boolean
  readonly log: Logger
}

/** What has to be true of the host before anything binds to its addresses. */
export interface HostPreparation {
  /** The addresses an Infra serves on are there, or have been added, or the problems say which are not. */
  readonly prepare: (infra: Infra) => Promise<readonly Problem[]>
  /** Takes away what `prepare` added. */
  readonly restore: () => Promise<void>
}

export function createHostPreparation({ interfaceName, mayAdd, log }: HostOptions): HostPreparation {
  const added: MissingAddresses[] = []
  return {
    prepare: async (infra) => {
      const vlan = parseCidr(infra.spec.networkConfig.cidr)
      if (!vlan) return []
      const found = findMissing({ addresses: serverAddresses(infra), vlan, interfaceName }, readHostAddresses())
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
  }
}

function serverAddresses(infra: Infra): string[] {
  const { dhcp, dns, proxy } = infra.spec.infraComponents
  return [dhcp, dns, proxy].flatMap((component) => (component?.enabled ? serverAddressesOf(component) : []))
}
