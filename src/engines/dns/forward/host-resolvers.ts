import { formatUpstream, resolversIn, type UpstreamAddress } from './upstream-address.ts'

export interface ExpandedUpstreams {
  readonly upstreams: readonly UpstreamAddress[]
  /** Whole sentences for the log. */
  readonly warnings: readonly string[]
}

/** Which upstreams to ask, once `resolv.conf` is replaced by what it says and our own addresses are left out. */
export async function expandUpstreams(
  wanted: readonly (UpstreamAddress | 'resolv.conf')[],
  readResolvConf: () => Promise<string>,
  isOurs: (upstream: UpstreamAddress) => boolean,
): Promise<ExpandedUpstreams> {
  const upstreams: UpstreamAddress[] = []
  const warnings: string[] = []
  for (const each of wanted) {
    try {
      upstreams.push(...(each === 'resolv.conf' ? resolversIn(await readResolvConf()) : [each]))
    } catch (error) {
      warnings.push(`the resolvers of this host cannot be read: ${String(error)}`)
    }
  }
  for (const ours of upstreams.filter(isOurs)) {
    warnings.push(`upstream ${formatUpstream(ours)} is this server itself: it is not asked`)
  }
  return { upstreams: upstreams.filter((upstream) => !isOurs(upstream)), warnings }
}
