/** An address that was offered and not yet taken. It lives in memory only, and not for long. */
export interface Offer {
  readonly mac: string
  readonly address: number
  expiresMs: number
  /**
   * Made by taking an older offer away, because nothing else was left. Such an offer does not keep the address from a
   * client that asks for it: the one it was taken from may be a real one, answering amid a flood of invented ones.
   */
  readonly contended: boolean
  /** Nobody without a lease uses the address, as far as is known. */
  unused: boolean
  older: Offer | undefined
  newer: Offer | undefined
}

/** Offers by client and address, oldest first. All are held equally long, so the oldest is the first to end. */
export class Offers {
  readonly #byClient = new Map<string, Offer>()
  readonly #byAddress = new Map<number, Offer>()
  #oldest: Offer | undefined
  #newest: Offer | undefined

  get count(): number {
    return this.#byClient.size
  }

  get oldest(): Offer | undefined {
    return this.#oldest
  }

  to(mac: string): Offer | undefined {
    return this.#byClient.get(mac)
  }

  of(address: number): Offer | undefined {
    return this.#byAddress.get(address)
  }

  all(): Offer[] {
    return [...this.#byClient.values()]
  }

  add(terms: Pick<Offer, 'mac' | 'address' | 'expiresMs' | 'contended' | 'unused'>): void {
    const { mac, address, expiresMs, contended, unused } = terms
    const offer: Offer = { mac, address, expiresMs, contended, unused, older: undefined, newer: undefined }
    this.#byClient.set(mac, offer)
    this.#byAddress.set(address, offer)
    this.#append(offer)
  }

  renew(offer: Offer, expiresMs: number): void {
    this.#unlink(offer)
    offer.expiresMs = expiresMs
    this.#append(offer)
  }

  remove(offer: Offer): void {
    this.#byClient.delete(offer.mac)
    this.#byAddress.delete(offer.address)
    this.#unlink(offer)
  }

  shiftTimes(byMs: number): void {
    for (const offer of this.#byClient.values()) offer.expiresMs += byMs
  }

  #append(offer: Offer): void {
    offer.older = this.#newest
    offer.newer = undefined
    if (this.#newest) this.#newest.newer = offer
    else this.#oldest = offer
    this.#newest = offer
  }

  #unlink(offer: Offer): void {
    if (offer.older) offer.older.newer = offer.newer
    else this.#oldest = offer.newer
    if (offer.newer) offer.newer.older = offer.older
    else this.#newest = offer.older
  }
}
