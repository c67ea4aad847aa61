import { decodeJson, decodeList, decodeObject, type Fields, isFields } from './answer.ts'
import { ApiError, isGone, isObjectMissing } from './error.ts'
import type { Fence } from './fence.ts'
import { collectionPath, type Kind, objectPath, type ReviewKind } from './kind.ts'
import { type KubeObject, keyOf, type ObjectRef } from './object.ts'
import type { Intent, List, ListOptions, Selection, WatchOptions } from './options.ts'
import type { Request } from './request.ts'
import type { Transport } from './transport.ts'
import { type WatchEvent, watchEvents } from './watch.ts'

/**
 * Verbs on objects of known kinds. Every write names its field manager. Writes that replace say which object they mean
 * by its uid, so that one of the same name made in between by somebody else is never touched. Failures are ApiErrors.
 */
export class KubeClient {
  readonly transport: Transport
  readonly fieldManager: string
  readonly #fence: Fence | undefined

  constructor(transport: Transport, fieldManager: string, fence?: Fence) {
    this.transport = transport
    this.fieldManager = fieldManager
    this.#fence = fence
  }

  /** The same connections, but nothing is written unless the fence lets it through at the moment of sending. */
  fencedBy(fence: Fence): KubeClient {
    return new KubeClient(this.transport, this.fieldManager, fence)
  }

  /** The same connections, writing as another field manager: for fields that are given up on their own. */
  as(fieldManager: string): KubeClient {
    return new KubeClient(this.transport, fieldManager, this.#fence)
  }

  /** The same field manager and fence on another cluster. */
  on(transport: Transport): KubeClient {
    return new KubeClient(transport, this.fieldManager, this.#fence)
  }

  /** The object, or undefined if there is none. That its kind is not installed is an error. */
  async get<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef, signal?: AbortSignal): Promise<T | undefined> {
    try {
      return await this.#object(kind, { method: 'GET', path: objectPath(kind, ref), idempotent: true, signal })
    } catch (error) {
      if (isObjectMissing(error)) return undefined
      throw error
    }
  }

  /** All objects that match, fetched in pages, as they were at one moment. */
  async list<T extends KubeObject>(kind: Kind<T>, options: ListOptions = {}): Promise<List<T>> {
    const items: T[] = []
    let continueToken: string | undefined
    let limit: number | undefined = options.pageSize ?? defaultPageSize
    for (;;) {
      try {
        const page = await this.#page(kind, options, limit, continueToken)
        items.push(...page.items)
        if (page.continueToken === undefined) return { items, resourceVersion: page.resourceVersion }
        continueToken = page.continueToken
      } catch (error) {
        if (!isGone(error) || continueToken === undefined) throw error
        // The snapshot behind the pages was compacted away while we read them: once more, in one piece.
        items.length = 0
        continueToken = undefined
        limit = undefined
      }
    }
  }

  /** What happens to the objects that match, from a resourceVersion on. Ends when the server ends it. */
  async *watch<T extends KubeObject>(
    kind: Kind<T>,
    options: WatchOptions,
  ): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const request: Request = {
      method: 'GET',
      path: collectionPath(kind, options.namespace),
      query: {
        ...selectors(options),
        watch: '1',
        allowWatchBookmarks: 'true',
        resourceVersion: options.resourceVersion,
        timeoutSeconds: String(options.timeoutSeconds),
      },
      idempotent: true,
      signal: options.signal,
    }
    const { call, body } = await this.transport.stream(request, options.idleMs)
    yield* watchEvents(call, kind, body)
  }

  /** A question that the API server answers at once and keeps nowhere, such as a TokenReview: the status it gives. */
  async review({ apiVersion, kind, plural }: ReviewKind, spec: object, signal?: AbortSignal): Promise<Fields> {
    const path = `/apis/${apiVersion}/${plural}`
    const body = { apiVersion, kind, spec }
    const answer = await this.transport.text({ method: 'POST', path, body, idempotent: true, signal })
    const { status } = decodeJson(answer.call, 200, answer.body)
    return isFields(status) ? status : {}
  }

  /** Creates by POST. For objects that are written once or replaced whole; otherwise see `applyNew`. */
  create<T extends KubeObject>(kind: Kind<T>, object: NoInfer<T>, signal?: AbortSignal): Promise<T> {
    const path = collectionPath(kind, object.metadata.namespace)
    const query = { fieldManager: this.fieldManager }
    return this.#object(kind, { method: 'POST', path, query, body: object, idempotent: false, signal })
  }

  /**
   * Creates by server-side apply: fails with AlreadyExists if there is one of that name. A POST would leave the fields
   * to a second owner (operation Update), and a field that we leave out later would never go away. What makes it a
   * create is a resourceVersion that no object can have: etcd's first revision is written before any object.
   */
  async applyNew<T extends KubeObject>(kind: Kind<T>, object: NoInfer<T>, signal?: AbortSignal): Promise<T> {
    const body = { ...object, metadata: { ...object.metadata, resourceVersion: '1' } }
    try {
      return await this.#apply(kind, body, false, undefined, signal)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error
      const { method, url, status } = error
      const message = `there is already a ${kind.kind} ${keyOf(object.metadata)}`
      throw new ApiError({ method, url, status, reason: 'AlreadyExists', message, cause: error })
    }
  }

  /**
   * Server-side apply of our whole intent to the object with this uid; what we left out since the last time is given
   * up. Fields that others set to something else are taken from them. Changes nothing if there is nothing to change.
   */
  apply<T extends KubeObject>(
    kind: Kind<T>,
    object: Intent<NoInfer<T>>,
    uid: string,
    signal?: AbortSignal,
  ): Promise<T> {
    return this.#applyTo(kind, object, uid, undefined, signal)
  }

  /** What the API server would say to this object, new or changed; nothing is changed. */
  async rehearse<T extends KubeObject>(kind: Kind<T>, object: Intent<NoInfer<T>>, signal?: AbortSignal): Promise<void> {
    // What comes back has no resourceVersion: it is no object that is anywhere.
    await this.#text(this.#applyRequest(kind, object, true, undefined, signal, { dryRun: 'All' }))
  }

  /** The same for the fields of the status that are ours. */
  applyStatus<T extends KubeObject>(
    kind: Kind<T>,
    object: Intent<NoInfer<T>>,
    uid: string,
    signal?: AbortSignal,
  ): Promise<T> {
    return this.#applyTo(kind, object, uid, 'status', signal)
  }

  /** Replaces the object as it was read: its resourceVersion has to be the current one. */
  replace<T extends KubeObject>(kind: Kind<T>, object: NoInfer<T>, signal?: AbortSignal): Promise<T> {
    const path = objectPath(kind, object.metadata)
    const query = { fieldManager: this.fieldManager }
    return this.#object(kind, { method: 'PUT', path, query, body: object, idempotent: false, signal })
  }

  /** JSON merge patch. Put `metadata.resourceVersion` or `metadata.uid` into the patch to say which object is meant. */
  mergePatch<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef, patch: object, signal?: AbortSignal): Promise<T> {
    return this.#object(kind, {
      method: 'PATCH',
      path: objectPath(kind, ref),
      query: { fieldManager: this.fieldManager },
      body: patch,
      contentType: 'application/merge-patch+json',
      idempotent: false,
      signal,
    })
  }

  /** Deletes the object with this uid, and what it owns after it. That it is gone already is fine. */
  async delete(kind: Kind, ref: ObjectRef, uid: string, signal?: AbortSignal): Promise<void> {
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid }, propagationPolicy: 'Background' }
    const path = objectPath(kind, ref)
    try {
      const { call, body: text } = await this.#text({ method: 'DELETE', path, body, idempotent: true, signal })
      decodeJson(call, 200, text)
    } catch (error) {
      if (!isObjectMissing(error)) throw error
    }
  }

  async #applyTo<T extends KubeObject>(
    kind: Kind<T>,
    object: KubeObject,
    uid: string,
    subresource: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const body = { ...object, metadata: { ...object.metadata, uid } }
    try {
      return await this.#apply(kind, body, true, subresource, signal)
    } catch (error) {
      throw isOtherUid(error) ? changedHands(error, kind, object) : error
    }
  }

  #apply<T extends KubeObject>(
    kind: Kind<T>,
    body: KubeObject,
    force: boolean,
    subresource: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    return this.#object(kind, this.#applyRequest(kind, body, force, subresource, signal))
  }

  #applyRequest(
    kind: Kind,
    body: KubeObject,
    force: boolean,
    subresource: string | undefined,
    signal: AbortSignal | undefined,
    more: { readonly dryRun?: 'All' } = {},
  ): Request {
    return {
      method: 'PATCH',
      path: objectPath(kind, body.metadata, subresource),
      // A field that the kind has not is refused in any case. Asked to look for more, the API server reads the body a
      // second time, for names that are there twice, and JSON.stringify writes none twice.
      query: { fieldManager: this.fieldManager, force: String(force), fieldValidation: 'Ignore', ...more },
      body,
      contentType: 'application/apply-patch+yaml',
      idempotent: force,
      signal,
    }
  }

  async #page<T extends KubeObject>(kind: Kind<T>, options: ListOptions, limit?: number, continueToken?: string) {
    const query = { ...selectors(options), limit: limit?.toString(), continue: continueToken }
    const path = collectionPath(kind, options.namespace)
    const answer = await this.transport.text({ method: 'GET', path, query, idempotent: true, signal: options.signal })
    return decodeList(answer.call, kind, answer.body)
  }

  async #object<T extends KubeObject>(kind: Kind<T>, request: Request): Promise<T> {
    const { call, body } = await this.#text(request)
    return decodeObject(call, kind, decodeJson(call, 200, body), body)
  }

  #text(request: Request) {
    return this.transport.text(request.method === 'GET' ? request : { ...request, fence: this.#fence })
  }
}

const defaultPageSize = 500

function selectors({ labelSelector, fieldSelector }: Selection): Record<string, string | undefined> {
  return { labelSelector, fieldSelector }
}

/** That another object has the name now is said as if the uid were a field like any other. */
function isOtherUid(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 422 && error.message.includes('metadata.uid: Invalid value')
}

function changedHands({ method, url }: ApiError, kind: Kind, { metadata }: KubeObject): ApiError {
  const message = `the ${kind.kind} ${keyOf(metadata)} that was meant is gone, and another one has its name`
  return new ApiError({ method, url, status: 409, reason: 'Conflict', message, objectName: metadata.name })
}
