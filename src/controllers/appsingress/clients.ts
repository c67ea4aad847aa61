import { at, textOf } from '../../core/discover/hostedcluster.ts'
import { Informer } from '../../runtime/cache/informer.ts'
import type { KubeClient } from '../../runtime/kube/client.ts'
import type { Key, KubeObject, ObjectRef } from '../../runtime/kube/object.ts'
import { keyOf } from '../../runtime/kube/object.ts'
import { pinnedAccess } from '../../runtime/kube/pinned-access.ts'
import { Transport } from '../../runtime/kube/transport.ts'
import type { Operator } from '../shared/operator.ts'
import { hostedServiceKind, hostedSliceKind, secretKind } from './kinds.ts'
import type { Located } from './locate.ts'

/** HyperShift's kubeconfig for whoever is on the service network; the name is fixed, so the right to it can be narrow. */
const secretName = 'service-network-admin-kubeconfig'
const secretKey = 'kubeconfig'

/** How long all that is asked of a hosted cluster in one go may take. */
export const hostedTimeoutMs = 20_000
const callTimeoutMs = 10_000
/** Lists of pools and advertisements are short; a server that says more has something else in mind. */
const longestAnswerBytes = 4 * 2 ** 20

/** The kubeconfig is not there. */
export class KubeconfigMissing extends Error {
  override readonly name = 'KubeconfigMissing'
}

type Surroundings = Pick<Operator, 'writer' | 'clock' | 'random' | 'log'> & {
  readonly settings: Pick<Operator['settings'], 'publishedKubeconfig'>
}

interface Entry {
  readonly address: string
  readonly transport: Transport
  readonly client: KubeClient
  readonly users: Map<Key, Watch>
}

interface Watch {
  readonly service: Key
  readonly informers: readonly Informer<KubeObject>[]
}

/**
 * One client for each hosted cluster, however many objects use it; it goes when the last of them does. The kubeconfig
 * is read anew for every use, and at once when the API server refuses the credentials, so a rotation is followed. A
 * watch on the Service of each user tells when something happens there.
 */
export class HostedClients {
  readonly #operator: Surroundings
  readonly #entries = new Map<string, Entry>()

  constructor(operator: Surroundings) {
    this.#operator = operator
  }

  /** A client with credentials that were read just now. */
  async use(user: Key, located: Located): Promise<KubeClient> {
    const { controlPlaneNamespace: id, pin } = located
    const address = JSON.stringify(pin)
    const known = this.#entries.get(id)
    if (known && known.address !== address) await this.#close(id)
    for (const [other, { users }] of this.#entries) if (other !== id && users.has(user)) await this.release(user)
    const entry = this.#entries.get(id) ?? this.#open(id, address, located)
    if (!entry.users.has(user)) entry.users.set(user, { service: '', informers: [] })
    try {
      await entry.transport.access.credentials(true)
    } catch (error) {
      await this.release(user)
      throw error
    }
    return entry.client
  }

  /** Calls back when the Service or what is behind it changes, and when the cluster stops to answer. */
  async watch(user: Key, located: Located, service: ObjectRef, changed: () => void): Promise<void> {
    const entry = this.#entries.get(located.controlPlaneNamespace)
    const known = entry?.users.get(user)
    if (!entry || known?.service === keyOf(service)) return
    await Promise.all((known?.informers ?? []).map((informer) => informer.stop()))
    const { clock, random, log } = this.#operator
    const onInterrupted = changed
    const common = {
      client: entry.client,
      namespace: service.namespace,
      transform: onlyIdentity,
      ...{ clock, random, log, onInterrupted },
    }
    const informers = [
      new Informer({ ...common, kind: hostedServiceKind, fieldSelector: `metadata.name=${service.name}` }),
      new Informer({
        ...common,
        kind: hostedSliceKind,
        labelSelector: `kubernetes.io/service-name=${service.name}`,
      }),
    ]
    for (const informer of informers) {
      informer.onChange(changed)
      informer.start()
    }
    entry.users.set(user, { service: keyOf(service), informers })
  }

  async release(user: Key): Promise<void> {
    for (const [id, { users }] of this.#entries) {
      const watch = users.get(user)
      if (!watch) continue
      users.delete(user)
      if (users.size === 0) await this.#close(id, watch)
      else await Promise.all(watch.informers.map((informer) => informer.stop()))
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#entries.keys()].map((id) => this.#close(id)))
  }

  #open(id: string, address: string, located: Located): Entry {
    const { clock, writer, random } = this.#operator
    const where = `Secret ${id}/${secretName}`
    const access = pinnedAccess({ pin: located.pin, where, clock, read: () => this.#read(located) })
    const transport = new Transport(access, {
      clock,
      random,
      userAgent: 'oooi-manager',
      callTimeoutMs,
      longestAnswerBytes,
    })
    const entry = { address, transport, client: writer.on(transport), users: new Map() }
    this.#entries.set(id, entry)
    return entry
  }

  async #close(id: string, ...more: readonly Watch[]): Promise<void> {
    const entry = this.#entries.get(id)
    if (!entry) return
    this.#entries.delete(id)
    const watches = [...entry.users.values(), ...more]
    await Promise.all(watches.flatMap(({ informers }) => informers.map((informer) => informer.stop())))
    await entry.transport.close()
  }

  async #read({ controlPlaneNamespace: namespace, object }: Located): Promise<string> {
    const own = await this.#secret({ namespace, name: secretName })
    if (own !== undefined) return own
    const published = textOf(at(object, 'status.kubeconfig.name'))
    if (this.#operator.settings.publishedKubeconfig && published !== undefined) {
      const text = await this.#secret({ namespace: object.metadata.namespace, name: published })
      if (text !== undefined) return text
    }
    throw new KubeconfigMissing(`there is no Secret ${namespace}/${secretName} with a key ${secretKey} yet`)
  }

  async #secret(ref: ObjectRef): Promise<string | undefined> {
    const secret = await this.#operator.writer.get(secretKind, ref)
    const data = secret?.data?.[secretKey]
    return data === undefined ? undefined : Buffer.from(data, 'base64').toString()
  }
}

/** That something changed is all that is wanted; what it is now is asked for anew. */
function onlyIdentity({
  apiVersion,
  kind,
  metadata: { name, namespace = '', uid = '', resourceVersion = '' },
}: KubeObject) {
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } }
}
