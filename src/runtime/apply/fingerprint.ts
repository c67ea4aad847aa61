import { hash } from 'node:crypto'
import { isFields } from '../kube/answer.ts'
import type { KubeObject } from '../kube/object.ts'

/** A short text that is equal for values that say the same, whatever the order of their fields. */
export function fingerprint(value: unknown): string {
  return hash('sha256', JSON.stringify(inOrder(value)) ?? '', 'base64url')
}

/** A live object is never changed, only replaced by its next version. */
const known = new WeakMap<KubeObject, string>()

/**
 * Of an object as it is: everything that an apply could have anything to do with. The status is left out (it changes
 * all the time and is somebody else's), and so is what changes with it.
 */
export function liveFingerprint(object: KubeObject): string {
  const print = known.get(object) ?? computed(object)
  known.set(object, print)
  return print
}

function computed(object: KubeObject): string {
  const { resourceVersion: _version, managedFields: _fields, generation: _generation, ...metadata } = object.metadata
  return fingerprint({ ...object, metadata, status: undefined })
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (!isFields(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, inOrder(value[name])]),
  )
}
