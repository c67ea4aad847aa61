/** The zone every contender answers: what a hosted cluster has on its VLAN. */
export const clusterDomain = 'my-cluster.example.com'
/** A zone that only the upstream knows; every name below it exists. */
export const foreignDomain = 'upstream.test'

export const proxyAddress = '10.77.0.100'
const appsAddress = '10.77.0.101'
const names = ['api', 'api-int', 'oauth', 'ignition', 'konnectivity'] as const

export const entries: readonly { readonly hostname: string; readonly address: string }[] = [
  ...names.map((name) => ({ hostname: `${name}.${clusterDomain}`, address: proxyAddress })),
  { hostname: `*.apps.${clusterDomain}`, address: appsAddress },
]

export function clusterZoneFile(nameServer: string): string {
  return zoneFile(clusterDomain, nameServer, entries)
}

export function foreignZoneFile(nameServer: string): string {
  return zoneFile(foreignDomain, nameServer, [{ hostname: `*.${foreignDomain}`, address: '192.0.2.1' }])
}

function zoneFile(domain: string, nameServer: string, records: typeof entries): string {
  return [
    `$ORIGIN ${domain}.`,
    '$TTL 3600',
    '@ IN SOA ns hostmaster 1 7200 1800 86400 30',
    '@ IN NS ns',
    `ns IN A ${nameServer}`,
    ...records.map(({ hostname, address }) => `${hostname}. 30 IN A ${address}`),
    '',
  ].join('\n')
}

/**
 * What nodes ask, in a fixed order that looks shuffled: of twenty questions eight for an A that is there, four for an
 * AAAA that is not, five for an A below the wildcard and one for its AAAA, two for a name that does not exist.
 */
export function authoritativeQueries(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `${names[index % names.length]}.${clusterDomain}`
    const application = `app-${index % 97}.apps.${clusterDomain}`
    // Seven and twenty have no common divisor, so every twenty questions in a row are each kind as often as planned.
    const kind = (index * 7) % 20
    if (kind < 8) return `${name} A`
    if (kind < 12) return `${name} AAAA`
    if (kind < 17) return `${application} A`
    if (kind < 18) return `${application} AAAA`
    return `missing-${index % 89}.${clusterDomain} A`
  })
}

/** Names of the foreign zone. Those with a label of their own have never been asked before. */
export function foreignQueries(count: number, label: string): string[] {
  return Array.from({ length: count }, (_, index) => `${label}-${index}.${foreignDomain} A`)
}
