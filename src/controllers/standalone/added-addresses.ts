import type { Problem, Result } from '../../core/result.ts'
import type { Logger } from '../../runtime/observe/log.ts'
import { addAddresses, addressNotAdded, type MissingAddresses, removeAddresses } from './addresses.ts'

interface AddingOptions {
  readonly mayAdd: boolean
  readonly log: Logger
}

/** What this process has added to the addresses of the host, and takes away at its end. */
export class AddedAddresses {
  readonly #options: AddingOptions
  #added: MissingAddresses[] = []

  constructor(options: AddingOptions) {
    this.#options = options
  }

  /** Adds what was found missing, where that is allowed. The problems say what stays missing. */
  async add(found: Result<MissingAddresses>): Promise<readonly Problem[]> {
    if (!found.ok) return found.problems
    const { mayAdd, log } = this.#options
    const { interfaceName, addresses } = found.value
    if (addresses.length === 0) return []
    if (!mayAdd) return addressNotAdded(found.value)
    const result = await addAddresses(found.value)
    if (!result.ok) return result.problems
    this.#added.push(found.value)
    log.info({ interface: interfaceName, addresses }, 'addresses added')
    return []
  }

  async remove(): Promise<void> {
    for (const addresses of this.surrender()) await removeAddresses(addresses)
  }

  /** Leaves them to a process that takes over, which then takes them away at its end. */
  surrender(): MissingAddresses[] {
    const added = this.#added
    this.#added = []
    return added
  }

  inherit(earlier: readonly MissingAddresses[]): void {
    this.#added.push(...earlier)
  }
}
