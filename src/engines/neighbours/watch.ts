import { createSocket } from 'node:dgram'
import { readFile } from 'node:fs/promises'
import type { Problem } from '../../core/result.ts'
import { neighbourTable, readNeighbours } from './table.ts'

/** Somebody on the VLAN whose address is known to be its own. */
export interface Neighbour {
  readonly name: string
  readonly address: string
  readonly mac: string
}

export interface NeighbourWatchOptions {
  /** Sends anything at all to that address, which makes the kernel ask who has it. */
  readonly knock?: (address: string) => void
  readonly table?: () => Promise<string>
  readonly everyMs?: number
}

const usualEveryMs = 30_000
const answerMs = 1000
/** A pod that was just replaced is found at its predecessor's place for a while. */
const looksInARow = 3
/** RFC 863: whoever listens there throws away what comes. */
const discardPort = 9

/**
 * Looks whether the addresses of others are answered by those others: nobody can see for itself that a second machine
 * has its address, since a host never asks the network for its own.
 */
export class NeighbourWatch {
  readonly #options: NeighbourWatchOptions
  #neighbours: readonly Neighbour[] = []
  #timer: NodeJS.Timeout | undefined
  /** By address: who answered instead, and how often in a row. */
  readonly #strangers = new Map<string, { readonly mac: string; readonly times: number }>()

  constructor(options: NeighbourWatchOptions = {}) {
    this.#options = options
  }

  follow(neighbours: readonly Neighbour[]): void {
    for (const { address, mac } of neighbours) {
      const isSame = this.#neighbours.some((known) => known.address === address && known.mac === mac)
      if (!isSame) this.#strangers.delete(address)
    }
    this.#neighbours = neighbours
    if (neighbours.length > 0) this.#timer ??= this.#later()
  }

  get problems(): Problem[] {
    return this.#neighbours.flatMap(({ name, address, mac }): Problem[] => {
      const stranger = this.#strangers.get(address)
      if (stranger === undefined || stranger.times < looksInARow) return []
      const message = `${address} (${name}) is answered by ${stranger.mac} and not by its pod (${mac}): somebody else on the VLAN has this address, or an earlier pod still runs on a node that is not reached`
      return [{ reason: 'AddressAnsweredByOther', message }]
    })
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#neighbours = []
    this.#strangers.clear()
  }

  #later(): NodeJS.Timeout {
    return setTimeout(() => void this.#look(), this.#options.everyMs ?? usualEveryMs).unref()
  }

  async #look(): Promise<void> {
    const { knock = knockOnce, table = () => readFile(neighbourTable, 'latin1') } = this.#options
    for (const { address } of this.#neighbours) knock(address)
    await new Promise((resolve) => setTimeout(resolve, answerMs).unref())
    const known = readNeighbours(await table().catch(() => ''))
    for (const { address, mac } of this.#neighbours) {
      const found = known.get(address)
      const times = (this.#strangers.get(address)?.times ?? 0) + 1
      if (found === undefined || found.toLowerCase() === mac.toLowerCase()) this.#strangers.delete(address)
      else this.#strangers.set(address, { mac: found, times })
    }
    this.#timer = this.#neighbours.length > 0 ? this.#later() : undefined
  }
}

function knockOnce(address: string): void {
  const socket = createSocket('udp4')
  socket.once('error', () => socket.close())
  socket.send('', discardPort, address, () => socket.close())
}
