/**
 * Takes out of a generated object what excludes each other: of two ways to say a thing one stays. What is left over
 * still has to pass our own checks; this only makes that likely.
 */
export function untangled(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return withoutRepeats(value.map((item) => untangled(item, name)))
  if (!isFields(value)) return value
  const fields = Object.fromEntries(Object.entries(value).map(([key, field]) => [key, untangled(field, key)]))
  return exclusions.reduce(
    (rest, [kept, ...dropped]) => (kept in rest ? without(rest, dropped) : rest),
    named(name, completed(fields)),
  )
}

interface Fields {
  readonly [key: string]: unknown
}

/** Where the first is given, the others are not. */
const exclusions: readonly (readonly [kept: string, ...dropped: string[]])[] = [
  ['serverIP', 'serverIPs'],
  ['networkAttachmentDefinition', 'attachment', 'topology', 'role', 'exposure', 'ipam', 'routeAdvertisementsRef'],
  ['attachment', 'networkAttachmentNamespace'],
  ['targetAddress', 'targetService', 'targetNamespace'],
  ['services', 'service', 'resource'],
  ['service', 'resource'],
  ['matchLabels', 'name'],
  ['matchExpressions', 'name'],
  ['number', 'name'],
  ['options', 'clientOptions'],
]

/** Fields that need each other, given together. */
function completed(fields: Fields): Fields {
  const isBackend = 'hostname' in fields && 'targetPort' in fields
  const isReservation = Object.keys(fields).every((name) => ['vmName', 'address', 'hostname'].includes(name))
  return {
    ...fields,
    ...('serverIPs' in fields && !('serverIP' in fields) ? { serverIPs: [firstOf(fields.serverIPs)] } : {}),
    ...(isBackend && !('targetAddress' in fields) ? { targetService: 'svc', targetNamespace: 'ns' } : {}),
    ...(isBackend ? { default: false, protocol: 'TCP' } : {}),
    ...(isReservation && 'address' in fields ? { vmName: fields.vmName ?? 'vm' } : {}),
    ...('clusterName' in fields ? { baseDomain: fields.baseDomain ?? 'example.com' } : {}),
    ...(fields.operator === 'Exists' || fields.operator === 'DoesNotExist' ? { values: [] } : {}),
    ...(fields.operator === 'In' || fields.operator === 'NotIn' ? { values: filled(fields.values, 'v') } : {}),
    ...('parentRefs' in fields && fields.output !== 'HTTPRoute' ? { parentRefs: [] } : {}),
    ...(fields.output === 'HTTPRoute' ? { parentRefs: filled(fields.parentRefs, { name: 'gateway' }) } : {}),
  }
}

/** What an object needs that is known by its name only. */
function named(name: string, fields: Fields): Fields {
  const hasSome = (...names: readonly string[]) => names.some((each) => each in fields)
  if (/^(b|defaultB)ackend$/.test(name) && !hasSome('service', 'services', 'resource')) return { service: aService }
  if (/^services?$/.test(name) && !hasSome('matchLabels', 'matchExpressions')) {
    return { ...without(fields, ['namespace']), name: fields.name ?? aService.name }
  }
  return name === 'port' && !hasSome('number', 'name') ? aService.port : fields
}

const aService = { name: 'svc', port: { number: 80 } }

function filled(list: unknown, item: unknown): unknown {
  return Array.isArray(list) && list.length > 0 ? list : [item]
}

function firstOf(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : undefined
}

function without(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}

function withoutRepeats(list: readonly unknown[]): unknown[] {
  return [...new Map(list.map((item) => [JSON.stringify(item), item])).values()]
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
