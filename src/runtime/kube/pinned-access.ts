import type { Clock } from '../time/clock.ts'
import type { ClusterAccess } from './access.ts'
import { remembering } from './credentials.ts'
import { KubeconfigError } from './kubeconfig-file.ts'
import { untrustedAccess } from './untrusted-kubeconfig.ts'

/** Where a cluster is, from a source that is trusted. */
export interface Pin {
  /** The name that the certificate of the API server has to carry. */
  readonly host: string
  readonly port: number
  /** Where to connect, if not to what that name resolves to. */
  readonly dial?: { readonly host: string; readonly port: number } | undefined
}

export interface PinnedAccessOptions {
  readonly pin: Pin
  /** For messages: `Secret clusters-c1/kubeconfig`. */
  readonly where: string
  /** The kubeconfig as it is now. Asked again after a minute, and at once after the API server refused what it gave. */
  readonly read: () => Promise<string>
  readonly clock: Clock
}

/**
 * Access by a kubeconfig that somebody else wrote and may replace at any time. Only its credentials are used: where the
 * connections go and whose certificate is expected there is said by the pin, never by the kubeconfig. One that is not
 * acceptable is a KubeconfigError.
 */
export function pinnedAccess({ pin, where, read, clock }: PinnedAccessOptions): ClusterAccess {
  return {
    server: `https://${pin.host.includes(':') ? `[${pin.host}]` : pin.host}:${pin.port}`,
    namespace: 'default',
    origin: where,
    dial: pin.dial,
    credentials: remembering(clock, async () => {
      const found = untrustedAccess(await read(), where, clock)
      if (!found.ok) throw new KubeconfigError(found.message)
      const { headers, tls } = await found.access.credentials()
      if (tls.ca === undefined) {
        throw new KubeconfigError(`${where} has no certificate-authority-data: anybody could answer in its place.`)
      }
      return { headers, tls: { ...tls, serverName: undefined } }
    }),
  }
}
