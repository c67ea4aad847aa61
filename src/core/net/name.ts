/** DNS names as text: lower case, no trailing dot. Underscores are let in, as resolvers let them in. */

const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/
const hostLabel = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** The canonical form of a DNS name, or undefined for what cannot be one. The root has no text form here. */
export function parseDnsName(text: string): string | undefined {
  const name = text.toLowerCase().replace(/\.$/, '')
  if (name.length === 0 || name.length > 253) return undefined
  return name.split('.').every((part) => label.test(part)) ? name : undefined
}

/** As parseDnsName, and also `*.example.com`: the star only as the whole first label. */
export function parseHostnamePattern(text: string): string | undefined {
  if (!text.startsWith('*.')) return parseDnsName(text)
  const parent = parseDnsName(text.slice(2))
  return parent === undefined || parent.length > 251 ? undefined : `*.${parent}`
}

/** What a machine may be called: letters, digits, hyphens, 63 at most (RFC 1123). */
export function isHostLabel(text: string): boolean {
  return hostLabel.test(text)
}

/** Is `name` the zone itself or below it? Both canonical. */
export function isWithin(name: string, zone: string): boolean {
  return name === zone || name.endsWith(`.${zone}`)
}
