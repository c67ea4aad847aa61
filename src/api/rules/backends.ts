import { parseHostnamePattern } from '../../core/net/name.ts'
import { and, eachTwo, or } from '../cel.ts'
import type { ProxyBackend } from '../proxyserver.ts'
import { distinctRule, type Entry, entriesOf } from './entries.ts'
import type { Loose, Rule } from './rule.ts'

type Backend = Loose<ProxyBackend>
type Backends = readonly (Backend | undefined)[]

/** About one backend. */
export const backendRules: readonly Rule<Backend>[] = [
  {
    name: 'backendHasTarget',
    field: 'targetService',
    message: 'is needed with targetNamespace, or targetAddress instead of both: where the connections go',
    cel: 'has(self.targetService) || has(self.targetAddress)',
    check: ({ targetService, targetAddress }) => targetService !== undefined || targetAddress !== undefined,
  },
  {
    name: 'backendHasOneTarget',
    field: 'targetAddress',
    message: 'must not be given beside targetService or targetNamespace',
    cel: '!has(self.targetAddress) || !has(self.targetService) && !has(self.targetNamespace)',
    check: ({ targetService, targetNamespace, targetAddress }) =>
      targetAddress === undefined || (targetService === undefined && targetNamespace === undefined),
  },
  {
    name: 'backendHasTargetNamespace',
    field: 'targetNamespace',
    message: 'is needed with targetService',
    cel: 'has(self.targetNamespace) || !has(self.targetService)',
    check: ({ targetService, targetNamespace }) => targetService === undefined || targetNamespace !== undefined,
  },
]

/** About the backends of one proxy together. */
export const backendListRules: readonly Rule<Backends>[] = [
  distinctRule({
    name: 'backendNamesDistinct',
    field: '',
    message: 'is the name of another backend too',
    cel: { keptBy: 'backends is a map by name' },
    keys: (backends) => entriesOf('', backends).flatMap(({ field, item }) => keyed(`${field}.name`, item.name)),
  }),
  distinctRule({
    name: 'backendRoutesDistinct',
    field: '',
    message: 'is routed to another backend on the same port; only sourcePrefixRanges or clientCluster tell them apart',
    subject: 'a hostname',
    cel: and(
      'self.all(entry, !has(entry.alternateHostnames) || !(entry.hostname in entry.alternateHostnames))',
      eachTwo('self', (one, other) => or(`!(${sharesName(one, other)})`, hasRanges(one), hasRanges(other)), 'port'),
    ),
    keys: (backends) => entriesOf('', backends).flatMap(routeKeys),
  }),
  distinctRule({
    name: 'backendDefaultsDistinct',
    field: '',
    message: 'is given to another backend of the same port already',
    subject: 'default',
    cel: `self.all(entry, !entry.default || ${hasRanges('entry')} || self.exists_one(other, other.default && other.port == entry.port && !(${hasRanges('other')})))`,
    keys: (backends) =>
      entriesOf('', backends).flatMap(({ field, item }) =>
        item.default && !isForSomeClients(item) ? keyed(`${field}.default`, String(item.port)) : [],
      ),
  }),
  {
    name: 'backendPortsOneProtocol',
    field: '',
    message: 'cannot share its port with backends of another protocol',
    subject: 'a backend with protocol HTTP or Raw',
    cel: "self.all(entry, !(entry.protocol in ['HTTP', 'Raw']) || self.all(other, other.port != entry.port || other.protocol == entry.protocol))",
    check: (backends) => onPortsOfOthers(backends).length === 0,
    culprits: onPortsOfOthers,
  },
]

/** HTTP and Raw each have a port for themselves. */
function onPortsOfOthers(backends: Backends): string[] {
  const entries = entriesOf('', backends)
  return entries.flatMap(({ field, item: { protocol, port } }) => {
    if (protocol !== 'HTTP' && protocol !== 'Raw') return []
    const hasOther = entries.some(({ item }) => item.port === port && item.protocol !== protocol)
    return hasOther ? [`${field}.protocol`] : []
  })
}

/** Whether any name leads to both, for the API server. */
function sharesName(one: string, other: string): string {
  const [more, otherMore] = [`${one}.alternateHostnames`, `${other}.alternateHostnames`]
  const both = `has(${otherMore}) && ${more}.exists(name, name in ${otherMore})`
  return or(
    `${one}.hostname == ${other}.hostname`,
    `has(${otherMore}) && ${one}.hostname in ${otherMore}`,
    `has(${more}) && (${other}.hostname in ${more} || ${both})`,
  )
}

/** The same as isForSomeClients. */
function hasRanges(backend: string): string {
  return `has(${backend}.clientCluster) || has(${backend}.sourcePrefixRanges) && ${backend}.sourcePrefixRanges.size() > 0`
}

/** Backends that choose among clients may share a name; which of them gets whom is judged where it is routed. */
function isForSomeClients({ sourcePrefixRanges = [], clientCluster }: Backend): boolean {
  return sourcePrefixRanges.length > 0 || clientCluster !== undefined
}

/** One key for each name a backend is reached by, in its canonical spelling. */
function routeKeys({ field, item }: Entry<Backend>): Entry<string>[] {
  const clients = isForSomeClients(item) ? field : 'everybody'
  const names = [
    ...keyed(`${field}.hostname`, item.hostname),
    ...entriesOf(`${field}.alternateHostnames`, item.alternateHostnames),
  ]
  return names.flatMap((name) => {
    const pattern = parseHostnamePattern(name.item)
    return pattern === undefined ? [] : [{ field: name.field, item: `${pattern} ${item.port} ${clients}` }]
  })
}

function keyed(field: string, item: string | undefined): Entry<string>[] {
  return item === undefined ? [] : [{ field, item }]
}
