/** A pod as far as it is looked at. */
export interface PodView {
  readonly metadata: {
    readonly name: string
    readonly annotations?: Readonly<Record<string, string>> | undefined
    readonly deletionTimestamp?: string | undefined
  }
  readonly status?:
    | {
        readonly phase?: string
        readonly podIP?: string
        readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[]
        readonly containerStatuses?: readonly {
          readonly state?: { readonly waiting?: { readonly reason?: string; readonly message?: string } | undefined }
        }[]
      }
    | undefined
}

interface NetworkName {
  readonly name: string
  readonly namespace: string
}

interface Network {
  readonly name?: unknown
  readonly ips?: unknown
  readonly mac?: unknown
}

export const networkStatusAnnotation = 'k8s.v1.cni.cncf.io/network-status'

/** Why this pod does not run, in the words of whoever holds it up. */
export function whyNotRunning({ metadata, status }: PodView): string {
  const unscheduled = status?.conditions?.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False')
  if (unscheduled) return `pod ${metadata.name} has no node: ${unscheduled.message ?? 'it waits to be scheduled'}`
  const waiting = status?.containerStatuses?.find(({ state }) => state?.waiting)?.state?.waiting
  const cause = [waiting?.reason, waiting?.message].filter(Boolean).join(': ')
  return `pod ${metadata.name} is ${status?.phase ?? 'Pending'}${cause ? `, ${cause}` : ''}`
}

/** The addresses a pod really has on a network, by what Multus noted on it; undefined if it noted nothing. */
export function attachedAddresses(pod: PodView, network: NetworkName): string[] | undefined {
  const networks = networksOf(pod)
  const entry = entryOf(networks, network)
  if (!entry) return networks ? [] : undefined
  return Array.isArray(entry.ips) ? entry.ips.filter((ip) => typeof ip === 'string') : []
}

/** The hardware address that a pod has on a network, where Multus noted one. */
export function attachedMac(pod: Pick<PodView, 'metadata'>, network: NetworkName): string | undefined {
  const mac = entryOf(networksOf(pod), network)?.mac
  return typeof mac === 'string' ? mac : undefined
}

function entryOf(networks: readonly Network[] | undefined, network: NetworkName): Network | undefined {
  const names = [`${network.namespace}/${network.name}`, network.name]
  return networks?.find(({ name }) => typeof name === 'string' && names.includes(name))
}

/** What Multus noted on a pod about its networks; undefined if it noted nothing. */
export function networksOf({ metadata }: Pick<PodView, 'metadata'>): Network[] | undefined {
  const text = metadata.annotations?.[networkStatusAnnotation]
  if (text === undefined) return undefined
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list.filter((entry) => typeof entry === 'object' && entry !== null) : undefined
  } catch {
    return undefined
  }
}
