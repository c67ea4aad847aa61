import { type Cidr, formatCidr } from '../../net/cidr.ts'
import { formatIpv4 } from '../../net/ipv4.ts'
import { compareText, type JsonObject, typed } from './json.ts'

/** The words of Envoy's matching trees (xds.type.matcher.v3.Matcher), as far as a listener needs them to find a chain. */

/** What a connection is looked at for. */
export type Predicate = JsonObject
/** What becomes of a connection: a chain, or a further look at it. */
export type OnMatch = JsonObject

export function toChain(name: string): OnMatch {
  return { action: { name: 'chain', typed_config: typed('google.protobuf.StringValue', { value: name }) } }
}

/** No backend can be called so, and no chain is: the connection is reset, and no matcher looks further. */
export const noChain = 'no backend'
export const toNobody = toChain(noChain)

export interface Case {
  readonly where: Predicate
  readonly to: OnMatch
}

/** The first case that holds decides, for good: without `otherwise` an outer matcher would go on to its next case. */
export function firstOf(cases: readonly Case[], otherwise: OnMatch): OnMatch {
  if (cases.length === 0) return otherwise
  return { matcher: { ...listOf(cases), on_no_match: otherwise } }
}

/** The whole of a matcher: an exact name first, then the cases. */
export function matcherOf(byServerName: Readonly<Record<string, OnMatch>>, cases: readonly Case[]): JsonObject {
  if (Object.keys(byServerName).length === 0) return listOf(cases)
  return {
    matcher_tree: { input: serverName, exact_match_map: { map: byServerName } },
    on_no_match: { matcher: listOf(cases) },
  }
}

function listOf(cases: readonly Case[]): JsonObject {
  return { matcher_list: { matchers: cases.map(({ where, to }) => ({ predicate: where, on_match: to })) } }
}

export function isFrom(sources: readonly Cidr[]): Predicate {
  const ranges = sources.toSorted((a, b) => compareText(formatCidr(a), formatCidr(b))).map(prefixRange)
  const fields = { cidr_ranges: ranges, stat_prefix: 'sources' }
  const matcher = {
    name: 'envoy.matching.matchers.ip',
    typed_config: typed('envoy.extensions.matching.input_matchers.ip.v3.Ip', fields),
  }
  return { single_predicate: { input: source, custom_match: matcher } }
}

/**
 * By the narrowest network that holds the client. Networks of one length are apart from each other, so those that lead to
 * the same are one case.
 */
export function bySource(
  places: readonly { readonly source: Cidr; readonly key: string }[],
  leadTo: (key: string) => OnMatch,
  otherwise: OnMatch,
): OnMatch {
  const groups = Map.groupBy(places, ({ source, key }) => `${String(source.prefixLength).padStart(2, '0')} ${key}`)
  const narrowestFirst = [...groups].sort(([a], [b]) => compareText(b, a)).map(([, group]) => group)
  const cases = narrowestFirst.flatMap((group) => {
    const [first] = group
    return first ? [{ where: isFrom(group.map(({ source }) => source)), to: leadTo(first.key) }] : []
  })
  return firstOf(cases, otherwise)
}

export function isBelow(parent: string): Predicate {
  // Envoy keeps a trailing dot as part of the name; clients mean the same host by both.
  return { or_matcher: { predicate: [`.${parent}`, `.${parent}.`].map((suffix) => named({ suffix })) } }
}

export function isNamedLike(regex: string): Predicate {
  return named({ safe_regex: { google_re2: {}, regex } })
}

export function speaks(transport: 'tls' | 'raw_buffer'): Predicate {
  return { single_predicate: { input: inputOf('TransportProtocolInput'), value_match: { exact: transport } } }
}

function named(match: JsonObject): Predicate {
  return { single_predicate: { input: serverName, value_match: match } }
}

function inputOf(name: string): JsonObject {
  return { name, typed_config: typed(`envoy.extensions.matching.common_inputs.network.v3.${name}`) }
}

const serverName = inputOf('ServerNameInput')
const source = inputOf('SourceIPInput')

function prefixRange({ network, prefixLength }: Cidr): JsonObject {
  return { address_prefix: formatIpv4(network), prefix_len: prefixLength }
}
