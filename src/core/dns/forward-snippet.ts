/** Who answers which zones, for the DNS of the cluster around it. */
export interface Forwarding {
  readonly name: string
  readonly zones: readonly string[]
  /** Of the Service. */
  readonly address: string
}

/** An entry of `spec.servers` of OpenShift's DNS operator, as far as it is looked at. */
export interface ForwardedServer {
  readonly name?: string
}

/** A service name as RFC 6335 section 5.1 wants it, which is what the DNS operator demands. */
const longestName = 15

/** A JSON patch for `dns.operator/default` that changes no other entry, and may be applied twice. */
export function openshiftPatch(
  { name, zones, address }: Forwarding,
  present: readonly ForwardedServer[] | undefined,
): readonly object[] {
  const entryName = name.replace(/-dns$/, '').slice(0, longestName).replace(/-+$/, '')
  const forwardPlugin = { policy: 'Sequential', upstreams: [address] }
  const value = { name: entryName, zones, forwardPlugin }
  if (!present?.length) return [{ op: 'add', path: '/spec/servers', value: [value] }]
  const index = present.findIndex((server) => server.name === entryName)
  if (index < 0) return [{ op: 'add', path: '/spec/servers/-', value }]
  return [{ op: 'replace', path: `/spec/servers/${index}`, value }]
}

/** The same for a CoreDNS whose Corefile people write themselves. */
export function corefileBlock({ zones, address }: Forwarding): string {
  const heads = zones.map((zone) => `${zone}:53`).join(' ')
  return `${heads} {\n    errors\n    cache 30\n    forward . ${address}\n}\n`
}
