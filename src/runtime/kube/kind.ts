import type { KubeObject, ObjectRef } from './object.ts'

declare const objectType: unique symbol

/** A kind the client can speak of. Given, not discovered: what a program uses it knows when it is written. */
export interface Kind<T extends KubeObject = KubeObject> {
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string
  readonly kind: string
  /** The name in URLs and RBAC: `deployments`. */
  readonly plural: string
  readonly namespaced: boolean
  /** Never there; carries the type of the objects. */
  readonly [objectType]?: T
}

/** A kind of which no object is ever kept: it is asked, not made. */
export type ReviewKind = Pick<Kind, 'apiVersion' | 'kind' | 'plural'>

export function defineKind<T extends KubeObject>(
  kind: Pick<Kind, 'apiVersion' | 'kind' | 'plural' | 'namespaced'>,
): Kind<T> {
  return kind
}

/** `apps` of `apps/v1`, the empty group of `v1`. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/')
  return slash < 0 ? '' : apiVersion.slice(0, slash)
}

/** Where all objects of a kind live; without a namespace, those of all namespaces. */
export function collectionPath(kind: Kind, namespace?: string): string {
  const root = kind.apiVersion.includes('/') ? `/apis/${kind.apiVersion}` : `/api/${kind.apiVersion}`
  if (namespace === undefined) return `${root}/${kind.plural}`
  if (!kind.namespaced) throw new Error(`${kind.kind} has no namespaces, but namespace '${namespace}' was given.`)
  return `${root}/namespaces/${segment(namespace)}/${kind.plural}`
}

export function objectPath(kind: Kind, ref: ObjectRef, subresource?: string): string {
  if (kind.namespaced && !ref.namespace) throw new Error(`${kind.kind} '${ref.name}' needs a namespace.`)
  const path = `${collectionPath(kind, ref.namespace)}/${segment(ref.name)}`
  return subresource ? `${path}/${subresource}` : path
}

/** The API server's own rule for names in paths; a name from outside must not lead to another path. */
function segment(name: string): string {
  if (name === '' || name === '.' || name === '..' || /[/%]/.test(name)) {
    throw new Error(`'${name}' cannot be the name of a Kubernetes object.`)
  }
  return encodeURIComponent(name)
}
