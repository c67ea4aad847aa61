import { isMapping } from '../../api/shape.ts'
import type { KubeObject } from '../../runtime/kube/object.ts'

/**
 * An object of one of our kinds as it is sent: JSON, and without blocks that say nothing. The API server makes null of a
 * block whose last field an apply takes away while the block stays, and then refuses it. An entry of a list says
 * something by being there.
 */
export function plain(resource: object): KubeObject {
  const object = JSON.parse(JSON.stringify(resource))
  return { ...object, spec: withoutEmptyBlocks(object.spec) }
}

function withoutEmptyBlocks(value: unknown): unknown {
  if (!isMapping(value)) return value
  const fields = Object.entries(value).map(([name, field]) => [name, withoutEmptyBlocks(field)] as const)
  return Object.fromEntries(fields.filter(([, field]) => !isMapping(field) || Object.keys(field).length > 0))
}
