import type { Infra } from '../../api/infra.ts'
import type { Judgement, Trouble } from './outcome.ts'

export type AppsIngressStatus = NonNullable<NonNullable<Infra['status']>['appsIngressStatus']>

/** Where the Service is. */
export interface Place {
  /** `<namespace>/<name>` of the HostedCluster. */
  readonly hostedCluster?: string | undefined
  readonly serviceName: string
  readonly serviceNamespace: string
}

const longestMessage = 1024

/**
 * The state to be told. While something is wrong the last good address stays: what it leads to may well go on working,
 * and without it nothing would.
 */
export function appsStatus(
  judgement: Judgement,
  place: Place,
  previous: AppsIngressStatus | undefined,
  answeredAt: string | undefined,
): AppsIngressStatus {
  const { addresses, hostname, trouble } = judgement
  const before = isSamePlace(place, previous) ? previous : undefined
  const known = addresses.length > 0 ? [...addresses] : externalAddresses(before)
  const lastSyncTime = answeredAt ?? before?.lastSyncTime
  return {
    ...verdict(trouble, known, addresses, before),
    ...(known[0] === undefined ? {} : { externalIP: known[0], externalIPs: known }),
    ...(hostname === undefined ? {} : { externalHostname: hostname }),
    ...place,
    ...(lastSyncTime === undefined ? {} : { lastSyncTime }),
  }
}

function verdict(
  trouble: Trouble | undefined,
  known: readonly string[],
  addresses: readonly string[],
  before: AppsIngressStatus | undefined,
): Pick<AppsIngressStatus, 'phase' | 'reason' | 'message'> {
  if (!trouble)
    return { phase: 'Ready', reason: 'AddressAssigned', message: `the names lead to ${addresses.join(', ')}` }
  const wasUp = before?.externalIP !== undefined && before.phase !== 'Pending'
  const isLost = trouble.reason === 'AddressPending' && known.length > 0
  if (isLost) {
    const message = `the Service has lost its address; the names still lead to ${known.join(', ')}`
    return { phase: 'Degraded', reason: 'AddressLost', message }
  }
  const phase = trouble.isMerelyLate && !wasUp ? 'Pending' : 'Degraded'
  return { phase, reason: trouble.reason, message: trouble.message.slice(0, longestMessage) }
}

function isSamePlace(place: Place, previous: AppsIngressStatus | undefined): boolean {
  return previous?.hostedCluster === undefined || previous.hostedCluster === place.hostedCluster
}

function externalAddresses(before: AppsIngressStatus | undefined): string[] {
  return before?.externalIPs ?? (before?.externalIP === undefined ? [] : [before.externalIP])
}

const shortestMs = 5_000
const longestMs = 60_000
const whenReadyMs = 300_000

/** When to look again. A watch tells most changes sooner; this is for what it does not see. */
export function lookAgainMs({ phase }: AppsIngressStatus, earlierLooks: number): number {
  return phase === 'Ready' ? whenReadyMs : Math.min(shortestMs * 2 ** Math.min(earlierLooks, 10), longestMs)
}
