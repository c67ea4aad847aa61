import { type FieldPath, findAll } from './fieldpath.ts'
import type { KindName } from './kinds.ts'

/**
 * What the API has and no engine does. The one list of it: manifests that ask for any of this are refused, and the
 * documentation prints it. Whoever builds one of these deletes its line.
 */
interface NotYet {
  /** Completes "… is not yet there". */
  readonly what: string
  /** Kind and field, e.g. `DNSServer spec.engine`; `[]` stands for each entry of a list. */
  readonly fields: readonly `${KindName} ${string}`[]
  /** Does this value ask for it? Default: any value does. What equals leaving the field out never does. */
  readonly asks?: (value: unknown) => boolean
}

const hasTwo = (value: unknown) => Array.isArray(value) && value.length > 1

export const notYet: readonly NotYet[] = [
  {
    what: 'a second address for high availability',
    fields: [
      'Infra spec.infraComponents.dhcp.serverIPs',
      'Infra spec.infraComponents.dns.serverIPs',
      'Infra spec.infraComponents.proxy.serverIPs',
      'DHCPServer spec.networkConfig.serverIPs',
      'DNSServer spec.networkConfig.serverIPs',
      'ProxyServer spec.networkConfig.serverIPs',
    ],
    asks: hasTwo,
  },
]

/** What a manifest, as it was written, asks for in vain. */
export function findNotYet(
  kind: KindName,
  manifest: unknown,
): { readonly path: FieldPath; readonly message: string }[] {
  return notYet.flatMap(({ what, fields, asks }) =>
    fields
      .filter((field) => field.startsWith(`${kind} `))
      .flatMap((field) => findAll(manifest, field.slice(kind.length + 1)))
      .filter(({ value }) => asks?.(value) ?? true)
      .map(({ path }) => ({ path, message: `${what} is not yet there: leave it out` })),
  )
}
