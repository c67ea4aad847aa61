import type { Reason } from '../../api/reasons.ts'

/** What a DNS engine looks out for, and states as conditions. */
export const dnsTroubles = [
  'UpstreamsUnreachable',
  'InternalProxyUnresolved',
  'CorednsNotServing',
  'PathBroken',
] as const satisfies readonly Reason[]

/** With these nobody is answered; with all others the names of the cluster are, so that the server counts as ready. */
export const fatalDnsTroubles: readonly (typeof dnsTroubles)[number][] = ['CorednsNotServing']
