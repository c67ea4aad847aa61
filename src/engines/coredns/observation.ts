import { Resolver } from 'node:dns/promises'
import type { CorednsOptions } from '../../core/coredns/corefile.ts'
import { revisionName } from '../../core/coredns/revision.ts'
import type { View } from '../../core/coredns/zones.ts'
import type { WrittenFiles, WrittenZone } from './files.ts'

const loopback = '127.0.0.1'

/** Asks CoreDNS what it serves, as any client would: what it was given to read says nothing of what it took. */
export class Observation {
  readonly #port: number
  readonly #listen: CorednsOptions['listen']
  readonly #written: WrittenFiles
  #hasRevision = false
  #missing: readonly WrittenZone[]

  constructor(written: WrittenFiles, port: number, listen: CorednsOptions['listen']) {
    this.#written = written
    this.#port = port
    this.#listen = listen
    this.#missing = written.zones
  }

  /** What it does not serve yet, in words; nothing if it serves all of it. */
  async whatIsMissing(): Promise<string | undefined> {
    const revision = await servedRevision(this.#port)
    if (revision === undefined) return `CoreDNS does not answer on ${loopback} port ${this.#port}`
    this.#hasRevision = revision === this.#written.revision
    if (!this.#hasRevision) return 'CoreDNS has not taken the newest Corefile'
    const checked = await Promise.all(this.#missing.map(async (zone) => ((await this.#isServed(zone)) ? [] : [zone])))
    this.#missing = checked.flat()
    const [first] = this.#missing
    return first && `CoreDNS has not taken serial ${first.serial} of ${first.apex} (${first.view})`
  }

  async #isServed({ view, apex, serial }: WrittenZone): Promise<boolean> {
    const resolver = resolverOf(this.#addressOf(view), this.#port)
    // Where one address serves both sides, the client's address is what tells them apart, and this one is on no VLAN.
    if (view === 'pod' && this.#listen.vlan.includes(this.#addressOf(view))) resolver.setLocalAddress(loopback)
    return resolver.resolveSoa(apex).then(
      (authority) => authority.serial === serial,
      () => false,
    )
  }

  #addressOf(view: View): string {
    return this.#listen[view][0] ?? loopback
  }
}

/** The revision of the Corefile that CoreDNS serves; undefined if it does not answer. */
async function servedRevision(port: number): Promise<string | undefined> {
  return resolverOf(loopback, port)
    .resolveTxt(revisionName)
    .then(
      ([text]) => text?.join(''),
      // A CoreDNS that has no Corefile of ours yet knows no such name, but it is there.
      (error: NodeJS.ErrnoException) => (error.code === 'ETIMEOUT' || error.code === 'ECONNREFUSED' ? undefined : ''),
    )
}

/** A new one each time: one that was refused keeps away from the server for a while. */
function resolverOf(address: string, port: number): Resolver {
  const resolver = new Resolver({ timeout: 1000, tries: 1 })
  resolver.setServers([`${address}:${port}`])
  return resolver
}
