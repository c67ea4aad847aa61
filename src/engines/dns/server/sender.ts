import type { Transport } from '../codec/query.ts'
import { parseAddress } from '../zone/address.ts'
import type { ViewName } from '../zone/records.ts'
import { chooseView, isForeign, type ViewChooser } from './view-chooser.ts'

/** Who asks: all that follows from the address a query came from and the one it came to. */
export interface Sender {
  readonly address: string
  readonly addressBytes: Uint8Array
  readonly transport: Transport
  readonly view: ViewName
  /** Neither of the VLAN nor of the pod network, and may be a lie: the source of a datagram can be forged. */
  readonly mayBeForged: boolean
}

const maxRemembered = 4096

/** The senders of one socket. The same few clients ask again and again, so what their address means is worked out once. */
export class Senders {
  readonly #transport: Transport
  readonly #known = new Map<string, Sender>()
  #chooser: ViewChooser

  constructor(transport: Transport, chooser: ViewChooser) {
    this.#transport = transport
    this.#chooser = chooser
  }

  get chooser(): ViewChooser {
    return this.#chooser
  }

  set chooser(chooser: ViewChooser) {
    this.#chooser = chooser
    this.#known.clear()
  }

  at(address: string): Sender {
    return this.#known.get(address) ?? this.#learn(address)
  }

  #learn(address: string): Sender {
    const addressBytes = parseAddress(withoutZone(address))?.bytes ?? noAddress
    const sender: Sender = {
      address,
      addressBytes,
      transport: this.#transport,
      view: chooseView(this.#chooser, address),
      mayBeForged: this.#transport === 'udp' && isForeign(this.#chooser, addressBytes),
    }
    if (this.#known.size >= maxRemembered) this.#known.clear()
    this.#known.set(address, sender)
    return sender
  }
}

/** The kernel gives no other, but a type cannot say that. */
const noAddress = new Uint8Array(4)

/** Link-local addresses come with the interface they belong to. */
function withoutZone(address: string): string {
  const percent = address.indexOf('%')
  return percent < 0 ? address : address.slice(0, percent)
}
