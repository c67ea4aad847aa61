import type { Clock } from '../time/clock.ts'
import type { ClusterAccess } from './access.ts'
import { accessFrom } from './kubeconfig.ts'
import { KubeconfigError, parseKubeconfig } from './kubeconfig-file.ts'

export type UntrustedAccess =
  | { readonly ok: true; readonly access: ClusterAccess }
  | { readonly ok: false; readonly message: string }

const longestBytes = 256 * 1024

/**
 * A kubeconfig that somebody else wrote, such as one in a Secret. It may carry credentials, but nothing that makes this
 * process run a program, read its own files, skip the check of certificates or send its traffic elsewhere.
 */
export function untrustedAccess(text: string, where: string, clock: Clock): UntrustedAccess {
  try {
    if (text.length > longestBytes) throw new KubeconfigError(`${where} is longer than ${longestBytes} bytes.`)
    const config = parseKubeconfig(text, where, '/')
    for (const [name, entry] of config.clusters) refuse(`${where}: cluster '${name}'`, entry, clusterRefusals)
    for (const [name, entry] of config.users) refuse(`${where}: user '${name}'`, entry, userRefusals)
    for (const [name, entry] of config.clusters) {
      if (!entry.server.startsWith('https:')) {
        throw new KubeconfigError(`${where}: cluster '${name}' has server ${entry.server}; only https is allowed here.`)
      }
    }
    return { ok: true, access: accessFrom(config, where, { clock }) }
  } catch (error) {
    if (error instanceof KubeconfigError) return { ok: false, message: error.message }
    throw error
  }
}

const clusterRefusals = ['certificate-authority', 'insecure-skip-tls-verify', 'proxy-url']
const userRefusals = [
  'exec',
  'auth-provider',
  'tokenFile',
  'token-file',
  'client-certificate',
  'client-key',
  'as',
  'as-uid',
  'as-groups',
  'as-user-extra',
]

function refuse(where: string, entry: Readonly<Record<string, unknown>>, fields: readonly string[]): void {
  const present = fields.filter(
    (field) => entry[field] !== undefined && entry[field] !== null && entry[field] !== false,
  )
  if (present.length > 0) {
    throw new KubeconfigError(`${where} uses ${present.join(', ')}, which is not allowed in a kubeconfig from outside.`)
  }
}
