/**
 * A buffer that is written and sent again and again. A datagram leaves within the call that sends it, so the next one
 * may be written over it; only one that the kernel did not take yet has to be left alone, which `renew` does. The part
 * of each length is made once: making a view costs more than writing a usual reply into it.
 */
export class SendBuffer {
  readonly #size: number
  #bytes: Buffer
  #parts: (Buffer | undefined)[] = []

  constructor(size: number) {
    this.#size = size
    this.#bytes = Buffer.allocUnsafeSlow(size)
  }

  get bytes(): Buffer {
    return this.#bytes
  }

  /** The first `length` bytes. */
  part(length: number): Buffer {
    const present = this.#parts[length]
    if (present !== undefined) return present
    const part = this.#bytes.subarray(0, length)
    this.#parts[length] = part
    return part
  }

  renew(): void {
    this.#bytes = Buffer.allocUnsafeSlow(this.#size)
    this.#parts = []
  }
}
