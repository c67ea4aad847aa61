import type { Cidr } from '../../net/cidr.ts'
import type { Backend } from '../backend.ts'
import type { Destination } from '../destination.ts'
import type { NameRoutes } from '../routes.ts'
import { compareText, type JsonObject } from './json.ts'
import {
  bySource,
  type Case,
  firstOf,
  isBelow,
  isFrom,
  isNamedLike,
  matcherOf,
  type OnMatch,
  speaks,
  toChain,
  toNobody,
} from './match.ts'

/** What a client sends that cannot name a host: against RFC 6066 an address. */
const address = '[0-9]{1,3}(\\.[0-9]{1,3}){3}\\.?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*'
/** As core/net/name.ts has it, in lower case as Envoy hands it over. */
const label = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?'
const dnsName = `${label}(\\.${label})*\\.?`
/** Of bytes, not of characters: what is not UTF-8 is a name too, though a bad one. */
const anyName = '\\C+'

/**
 * Which chain a connection gets: an exact name, the longest wildcard above it, the default of the port for who names no
 * host; then what no TLS is. Chains know nothing of names and sources, so a change of these touches no connection, and
 * Envoy has one chain for each backend instead of one for each name.
 */
export function chainMatcher(tls: NameRoutes, plain: OnMatch | undefined): JsonObject {
  const nameless = tls.default ? leadTo(tls.default) : toNobody
  return matcherOf(exactNames(tls), [
    { where: isNamedLike(address), to: nameless },
    { where: isNamedLike(dnsName), to: firstOf(wildcards(tls), toNobody) },
    { where: isNamedLike(anyName), to: toNobody },
    { where: speaks('tls'), to: nameless },
    ...(plain ? [{ where: speaks('raw_buffer'), to: plain }] : []),
  ])
}

/** Where nothing is read only the source decides. */
export function rawMatcher(raw: NameRoutes): JsonObject {
  return matcherOf({}, [{ where: isFrom([everywhere]), to: raw.default ? leadTo(raw.default) : toNobody }])
}

const everywhere: Cidr = { network: 0, prefixLength: 0 }

function exactNames({ exact }: NameRoutes): Record<string, OnMatch> {
  const names = [...exact].sort(([a], [b]) => compareText(a, b))
  // Envoy keeps a trailing dot as part of the name; clients mean the same host by both.
  return Object.fromEntries(
    names.flatMap(([name, to]) => {
      const lead = leadTo(to)
      return [
        [name, lead],
        [`${name}.`, lead],
      ]
    }),
  )
}

function wildcards({ wildcard }: NameRoutes): Case[] {
  const longestFirst = [...wildcard].sort(([a], [b]) => b.length - a.length || compareText(a, b))
  return longestFirst.map(([parent, to]) => ({ where: isBelow(parent), to: leadTo(to) }))
}

function leadTo(destination: Destination): OnMatch {
  const backends = new Map(destination.bySource.map(({ backend }) => [backend.name, backend]))
  const places = destination.bySource.map(({ source, backend }) => ({ source, key: backend.name }))
  return bySource(places, (name) => allowed(backends.get(name)), allowed(destination.otherwise))
}

function allowed(backend: Backend | undefined): OnMatch {
  if (backend === undefined) return toNobody
  const { name, allowedSources } = backend
  if (allowedSources === undefined) return toChain(name)
  return firstOf(allowedSources.length === 0 ? [] : [{ where: isFrom(allowedSources), to: toChain(name) }], toNobody)
}
