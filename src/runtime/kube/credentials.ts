import { readFile } from 'node:fs/promises'
import type { Clock } from '../time/clock.ts'
import type { Credentials, TlsMaterial } from './access.ts'
import { type KubeconfigCluster, KubeconfigError, type KubeconfigUser } from './kubeconfig-file.ts'

/** Where credentials come from; see ClusterAccess.credentials. */
export type CredentialSource = (renew?: boolean) => Promise<Credentials>

/** Tokens and certificates in files are replaced under a running process (a pod's token every hour or so). */
const rereadAfterMs = 60_000

/** The credentials of a kubeconfig user, except those that another program provides (`exec`, `auth-provider`). */
export function credentialsOf(cluster: KubeconfigCluster, user: KubeconfigUser, clock: Clock): CredentialSource {
  return remembering(clock, async () => ({ headers: await headersOf(user), tls: await tlsOf(cluster, user) }))
}

/** Answers from memory for a while, and with the same TLS material as before if it says the same. */
export function remembering(clock: Clock, read: () => Promise<Credentials>): CredentialSource {
  let known: { readonly credentials: Credentials; readonly readAt: number } | undefined
  let reading: Promise<Credentials> | undefined
  async function reread(): Promise<Credentials> {
    const { headers, tls } = await read()
    const credentials = { headers, tls: known && isSame(known.credentials.tls, tls) ? known.credentials.tls : tls }
    known = { credentials, readAt: clock.elapsed() }
    return credentials
  }
  return async (renew = false) => {
    if (known && !renew && clock.elapsed() - known.readAt < rereadAfterMs) return known.credentials
    reading ??= reread().finally(() => {
      reading = undefined
    })
    try {
      return await reading
    } catch (error) {
      // A file that is just being replaced must not stop a process whose credentials still work.
      if (known && !renew) return known.credentials
      throw error
    }
  }
}

export async function tlsOf(cluster: KubeconfigCluster, user: KubeconfigUser): Promise<TlsMaterial> {
  return {
    ca: await material(cluster['certificate-authority-data'], cluster['certificate-authority']),
    cert: await material(user['client-certificate-data'], user['client-certificate']),
    key: await material(user['client-key-data'], user['client-key']),
    serverName: cluster['tls-server-name'],
    verify: cluster['insecure-skip-tls-verify'] !== true,
  }
}

async function headersOf(user: KubeconfigUser): Promise<Credentials['headers']> {
  return { ...(await authorization(user)), ...impersonation(user) }
}

async function authorization(user: KubeconfigUser): Promise<Record<string, string>> {
  const token = user.tokenFile ? (await readCredential(user.tokenFile)).trim() : user.token
  if (token) return { authorization: `Bearer ${token}` }
  if (user.username === undefined) return {}
  const pair = Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64')
  return { authorization: `Basic ${pair}` }
}

export function impersonation(user: KubeconfigUser): Record<string, string | string[]> {
  return {
    ...(user.as === undefined ? {} : { 'impersonate-user': user.as }),
    ...(user['as-uid'] === undefined ? {} : { 'impersonate-uid': user['as-uid'] }),
    ...(user['as-groups'] === undefined ? {} : { 'impersonate-group': user['as-groups'] }),
  }
}

async function material(data: string | undefined, path: string | undefined): Promise<string | undefined> {
  if (data) return Buffer.from(data, 'base64').toString()
  return path ? await readCredential(path) : undefined
}

async function readCredential(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new KubeconfigError(`${path}, named by the kubeconfig, cannot be read: ${String(error)}`)
  }
}

function isSame(one: TlsMaterial, other: TlsMaterial): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
