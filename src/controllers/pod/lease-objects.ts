import { kinds } from '../../api/kinds.ts'
import { apiVersion } from '../../api/meta.ts'
import { componentLabel } from '../../core/render/object.ts'
import { failed, ok, type Result } from '../../core/result.ts'
import type { LeaseRecord } from '../../engines/dhcp/leases/lease-record.ts'
import type { LeaseMirror } from '../../engines/dhcp/mirror/lease-mirror.ts'
import type { KubeClient } from '../../runtime/kube/client.ts'
import { ApiError, isAlreadyExists, isHopeless } from '../../runtime/kube/error.ts'
import { defineKind } from '../../runtime/kube/kind.ts'
import type { KubeObject } from '../../runtime/kube/object.ts'
import type { Logger } from '../../runtime/observe/log.ts'
import type { LastGoodCopy } from '../../runtime/source/last-good-copy.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { LeaseWrites } from './lease-writes.ts'

interface LeaseObject extends KubeObject {
  spec?: LeaseRecord & { readonly server: string }
}

export interface LeaseObjectsOptions {
  readonly client: Pick<KubeClient, 'list' | 'get' | 'applyNew' | 'apply'>
  readonly server: { readonly namespace: string; readonly name: string }
  /** Remembers beside the journal that the journal has what the objects had. */
  readonly marker: LastGoodCopy
  readonly clock: Clock
  readonly random: () => number
  readonly log: Logger
}

const kind = defineKind<LeaseObject>({
  apiVersion,
  kind: 'DHCPLease',
  plural: kinds.DHCPLease.plural,
  namespaced: true,
})
const loadTimeoutMs = 5000

/**
 * Leases as DHCPLease objects: for `kubectl get dhcpleases`, for the manager, and for the server's next life on another
 * node. They follow the journal; nobody but the first request of a new client ever waits for them, and not for long.
 */
export class LeaseObjects implements LeaseMirror {
  readonly #options: LeaseObjectsOptions
  readonly #writes: LeaseWrites
  /** By address: the object that is there. */
  readonly #uids = new Map<string, string>()
  #ownerUid: string | undefined

  constructor(options: LeaseObjectsOptions) {
    const { clock, random, log } = options
    this.#options = options
    this.#writes = new LeaseWrites({ write: (record, signal) => this.#write(record, signal), clock, random, log })
  }

  get writes(): LeaseWrites {
    return this.#writes
  }

  /** The objects go when their DHCPServer goes; for another one of its name they are made anew. */
  ownedBy(uid: string | undefined): void {
    const isAnother = this.#ownerUid !== undefined && this.#ownerUid !== uid
    this.#ownerUid = uid
    if (!isAnother) return
    this.#uids.clear()
    this.#writes.again()
  }

  async load(): Promise<Result<readonly LeaseRecord[]>> {
    const { client, server, marker, log } = this.#options
    const { namespace, name } = server
    const signal = AbortSignal.timeout(loadTimeoutMs)
    try {
      const { items } = await client.list(kind, { namespace, labelSelector: `${componentLabel}=${name}`, signal })
      const ours = items.flatMap(({ metadata, spec }) => (spec?.server === name ? [{ metadata, spec }] : []))
      for (const { metadata, spec } of ours) {
        if (metadata.uid) this.#uids.set(spec.address, metadata.uid)
        this.#writes.isWritten(withoutServer(spec))
      }
      return ok(ours.map(({ spec }) => withoutServer(spec)))
    } catch (error) {
      // A journal that had them once is never behind them: there is one server, and it writes the journal first.
      if ((await marker.read()) === true) {
        log.warn({ error: String(error) }, 'the DHCPLeases cannot be read; the journal has them')
        return ok([])
      }
      return failed({
        reason: 'ApiUnreachable',
        message: `the DHCPLeases of ${namespace}/${name} cannot be read and this disk has no journal, so no address can be lent without giving one twice: ${error instanceof Error ? error.message : String(error)}`,
      })
    }
  }

  adopted(): void {
    this.#options.marker.keep('true')
  }

  keep(records: readonly LeaseRecord[]): Promise<void> | undefined {
    return this.#writes.put(records)
  }

  async stop(graceMs: number): Promise<void> {
    await this.#writes.stop(graceMs)
    await this.#options.marker.settled()
  }

  /** `later` for what may work another time, `never` for what will not. */
  async #write(record: LeaseRecord, signal: AbortSignal): Promise<'done' | 'again' | 'later' | 'never'> {
    const { client, log } = this.#options
    const object = this.#objectOf(record)
    const uid = this.#uids.get(record.address)
    try {
      const written = await (uid ? client.apply(kind, object, uid, signal) : client.applyNew(kind, object, signal))
      if (written.metadata.uid) this.#uids.set(record.address, written.metadata.uid)
      return 'done'
    } catch (error) {
      if (uid !== undefined && error instanceof ApiError && (error.status === 404 || error.status === 409)) {
        this.#uids.delete(record.address)
        return 'again'
      }
      if (isAlreadyExists(error)) return this.#find(object, record.address, signal)
      const isRefused = error instanceof ApiError && error.status === 422
      log.warn({ name: object.metadata.name, error: String(error) }, 'a DHCPLease could not be written')
      return isRefused || isHopeless(error) ? 'never' : 'later'
    }
  }

  /** One that was there before we could read them all. */
  async #find(object: LeaseObject, address: string, signal: AbortSignal): Promise<'again' | 'later' | 'never'> {
    const { client, server, log } = this.#options
    try {
      const found = await client.get(kind, object.metadata, signal)
      if (found === undefined) return 'again'
      if (found.spec?.server === server.name && found.metadata.uid) {
        this.#uids.set(address, found.metadata.uid)
        return 'again'
      }
      log.error({ name: object.metadata.name }, 'a DHCPLease of that name belongs to another server and is left alone')
      return 'never'
    } catch {
      return 'later'
    }
  }

  #objectOf(record: LeaseRecord): LeaseObject {
    const { namespace, name } = this.#options.server
    const owner = { apiVersion, kind: 'DHCPServer', name, uid: this.#ownerUid ?? '', controller: true }
    return {
      apiVersion,
      kind: 'DHCPLease',
      metadata: {
        name: `${name}-${record.address.replaceAll('.', '-')}`,
        namespace,
        labels: { [componentLabel]: name },
        ownerReferences: this.#ownerUid === undefined ? [] : [owner],
      },
      spec: { server: name, ...record },
    }
  }
}

function withoutServer({ server: _, ...record }: LeaseRecord & { readonly server: string }): LeaseRecord {
  return record
}
