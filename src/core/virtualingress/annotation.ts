import { parse } from 'yaml'
import { z } from 'zod'
import { isMapping } from '../../api/shape.ts'
import { type ServiceSelector, serviceSelector } from '../../api/virtualingressbackend.ts'
import { failed, ok, type Result } from '../result.ts'
import type { ServicePort } from './choose.ts'
import type { IngressView } from './ingress.ts'
import { ownPrefix } from './metadata.ts'

/** On a plain Ingress: which Services the names of its backends mean. */
export const backendsAnnotation = `${ownPrefix}/backends`
/** On the same: what came of it. */
export const statusAnnotation = `${ownPrefix}/status`

const longestText = 65_536
const mostNames = 64
const entries = z.record(z.string().regex(/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/), serviceSelector)

/** Name of a backend, and the labels of the Service that is meant. Any text gives that or a sentence. */
export function parseBackends(text: string): Result<Map<string, ServiceSelector>> {
  const refused = (message: string) => failed({ reason: 'InvalidField', field: backendsAnnotation, message })
  if (text.length > longestText) return refused(`has more than ${longestText} characters`)
  let value: unknown
  try {
    value = parse(text, { maxAliasCount: 0 })
  } catch (error) {
    return refused(`is no YAML: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (!isMapping(value)) return refused('must be names of backends, each with matchLabels')
  const read = entries.safeParse(value)
  if (!read.success) {
    const [issue] = read.error.issues
    return refused(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is not as it should be'}`)
  }
  const backends = new Map(Object.entries(read.data))
  if (backends.size > mostNames) return refused(`names more than ${mostNames} backends`)
  const empty = [...backends].find(([, wanted]) => !wanted.matchLabels && !wanted.matchExpressions)
  return empty ? refused(`${empty[0]}: needs matchLabels or matchExpressions`) : ok(backends)
}

/** The ports at which an Ingress leads to a Service of this name. */
export function portsAskedOf({ spec }: IngressView, name: string): ServicePort[] {
  const backends = [
    spec?.defaultBackend,
    ...(spec?.rules ?? []).flatMap(({ http }) => (http?.paths ?? []).map(({ backend }) => backend)),
  ]
  return backends.flatMap((backend) => {
    const { service } = backend ?? {}
    return service?.name === name && service.port ? [service.port] : []
  })
}
