import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { issueClient, type KeyAndCertificate, readAuthority } from './certificates.ts'
import { kubeconfigText } from './kubeconfig.ts'
import { type Answer, type RequestOptions, requestJson } from './request.ts'

export interface User extends KeyAndCertificate {
  readonly name: string
  readonly kubeconfig: string
  readonly kubeconfigPath: string
}

/** What every test may do with a control plane, its own or a shared one. */
export interface Access {
  readonly url: string
  /** The certificate authority of the server, PEM. */
  readonly ca: string
  readonly admin: User
  /** A new user who may do nothing until RBAC says otherwise; group `system:masters` may do everything. */
  addUser(name: string, groups?: readonly string[]): Promise<User>
  /** One request as the given user (the administrator if none): what the API server really says. */
  request<Body = unknown>(path: string, options?: RequestOptions & { user?: User }): Promise<Answer<Body>>
  /** Standard output of kubectl; fails with its standard error. */
  kubectl(parameters: readonly string[], options?: { user?: User; input?: string }): Promise<string>
  /** Makes a namespace with a name of its own. */
  newNamespace(prefix?: string): Promise<string>
}

/** Enough to reach a control plane from another process of this machine. */
export interface Address {
  readonly url: string
  readonly directory: string
  readonly assets: string
}

export async function accessTo({ url, directory, assets }: Address): Promise<Access> {
  const ca = await readAuthority(directory)

  async function addUser(name: string, groups: readonly string[] = []): Promise<User> {
    const pair = await issueClient(directory, name, groups)
    const kubeconfig = kubeconfigText(url, ca, name, pair)
    const kubeconfigPath = join(directory, `${randomBytes(6).toString('hex')}.kubeconfig`)
    await writeFile(kubeconfigPath, kubeconfig, { mode: 0o600 })
    return { ...pair, name, kubeconfig, kubeconfigPath }
  }

  const admin = await addUser('admin', ['system:masters'])

  async function request<Body>(path: string, options: RequestOptions & { user?: User } = {}): Promise<Answer<Body>> {
    return requestJson<Body>(new URL(path, url), ca, options.user ?? admin, options)
  }

  return {
    url,
    ca,
    admin,
    addUser,
    request,
    kubectl: (parameters, { user = admin, input = '' } = {}) =>
      kubectl(join(assets, 'kubectl'), ['--kubeconfig', user.kubeconfigPath, ...parameters], input, directory),
    async newNamespace(prefix = 'test') {
      const name = `${prefix}-${randomBytes(4).toString('hex')}`
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
      const answer = await request('/api/v1/namespaces', { method: 'POST', body })
      if (answer.status !== 201) throw new Error(`namespace ${name}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return name
    },
  }
}

function kubectl(binary: string, parameters: readonly string[], input: string, directory: string): Promise<string> {
  // HOME: kubectl caches discovery by address, and a port may come back with another control plane behind it.
  const env = { PATH: process.env.PATH ?? '', HOME: directory }
  return new Promise((resolve, reject) => {
    const child = execFile(binary, parameters, { env, maxBuffer: 64e6 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`kubectl ${parameters.slice(2).join(' ')}: ${stderr.trim() || error.message}`))
      else resolve(stdout)
    })
    // Who has ended without reading all of it says why in its answer.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}
