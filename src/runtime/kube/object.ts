import type { Json } from './json.ts'

export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

export interface ObjectMeta {
  name: string
  namespace?: string
  uid?: string
  /** Opaque: kept, sent back and tested for equality, never counted with. */
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
  deletionTimestamp?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
  ownerReferences?: OwnerReference[]
  finalizers?: string[]
  managedFields?: unknown[]
}

/** Any Kubernetes object, as plain JSON. */
export interface KubeObject {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
}

/** A built-in kind: `ApiObject<V1Deployment>`. */
export type ApiObject<Model> = Omit<Json<Model>, 'apiVersion' | 'kind' | 'metadata'> & KubeObject

/** Which object of a kind. */
export interface ObjectRef {
  readonly name: string
  readonly namespace?: string | undefined
}

/** `namespace/name`, or `name` where there is no namespace: the key of caches and queues. */
export type Key = string

export function keyOf(ref: ObjectRef): Key {
  return ref.namespace ? `${ref.namespace}/${ref.name}` : ref.name
}

export function parseKey(key: Key): ObjectRef {
  const slash = key.indexOf('/')
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}

/** `ConfigMap default/settings`, for messages. */
export function describe(object: KubeObject): string {
  return `${object.kind} ${keyOf(object.metadata)}`
}
