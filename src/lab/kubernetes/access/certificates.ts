import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface KeyAndCertificate {
  readonly key: string
  readonly certificate: string
}

/** Node can read certificates but not make them, so `openssl` does; elliptic curves because RSA keys take their time. */
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30']

/** One authority signs the server and all its users. */
export async function createAuthority(directory: string): Promise<void> {
  const files = ['-keyout', join(directory, 'ca.key'), '-out', join(directory, 'ca.crt')]
  await openssl(['req', '-x509', ...newKey, ...files, '-subj', '/CN=control-plane-under-test'])
}

export async function readAuthority(directory: string): Promise<string> {
  return readFile(join(directory, 'ca.crt'), 'utf8')
}

/** Kubernetes takes the user's name from the common name and the groups from the organizations. */
export async function issueClient(
  directory: string,
  user: string,
  groups: readonly string[],
): Promise<KeyAndCertificate> {
  const subject = ['', `CN=${escaped(user)}`, ...groups.map((group) => `O=${escaped(group)}`)].join('/')
  return issue(directory, subject, ['extendedKeyUsage=clientAuth'])
}

/** Loopback is always among the addresses. */
export async function issueServer(
  directory: string,
  names: readonly string[],
  addresses: readonly string[] = [],
): Promise<KeyAndCertificate> {
  const alternatives = ['127.0.0.1', ...addresses].map((address) => `IP:${address}`)
  return issue(directory, '/CN=kube-apiserver', [
    'extendedKeyUsage=serverAuth',
    `subjectAltName=${[...alternatives, ...names.map((name) => `DNS:${name}`)].join(',')}`,
  ])
}

async function issue(directory: string, subject: string, extensions: readonly string[]): Promise<KeyAndCertificate> {
  const authority = ['-CA', join(directory, 'ca.crt'), '-CAkey', join(directory, 'ca.key')]
  const added = extensions.flatMap((extension) => ['-addext', extension])
  const pem = await openssl(['req', '-x509', ...newKey, ...authority, '-subj', subject, ...added, '-keyout', '-'])
  return { key: block('PRIVATE KEY', pem), certificate: block('CERTIFICATE', pem) }
}

/** The key pair with which the control plane signs the tokens of service accounts. */
export async function createServiceAccountKeys(directory: string): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  await writeFile(join(directory, 'sa.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  await writeFile(join(directory, 'sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
}

function escaped(value: string): string {
  return value.replace(/[\\/+]/g, '\\$&')
}

function block(label: string, pem: string): string {
  const found = new RegExp(`-----BEGIN ${label}-----[^-]+-----END ${label}-----\n`).exec(pem)?.[0]
  if (!found) throw new Error(`openssl gave no ${label}`)
  return found
}

async function openssl(parameters: readonly string[]): Promise<string> {
  try {
    return (await run('openssl', parameters)).stdout
  } catch (cause) {
    const absent = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    throw new Error(absent ? 'openssl (3.0 or later) must be on PATH' : `openssl failed: ${String(cause)}`, { cause })
  }
}
