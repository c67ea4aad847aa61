import type { Trouble } from '../../core/appsingress/outcome.ts'
import { ApiError } from '../../runtime/kube/error.ts'
import { KubeconfigError } from '../../runtime/kube/kubeconfig-file.ts'
import { KubeconfigMissing } from './clients.ts'
import type { Located } from './locate.ts'

/** What went wrong with a hosted cluster, to be told while it is tried again; undefined for what did not go wrong there. */
export function troubleOf(error: unknown, { pin }: Located): Trouble | undefined {
  if (error instanceof KubeconfigMissing) return { reason: 'KubeconfigMissing', message: error.message }
  if (error instanceof KubeconfigError) return { reason: 'KubeconfigRefused', message: error.message }
  if (!(error instanceof ApiError) || new URL(error.url).hostname !== pin.host) return undefined
  const { status, message } = error
  if (status === 401 || status === 403) return { reason: 'HostedAPIRefused', message }
  if (status === 0 || status === 429 || status >= 500) return { reason: 'HostedAPIUnreachable', message }
  return { reason: 'ApplyFailed', message }
}
