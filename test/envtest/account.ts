import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Access } from '../../src/lab/kubernetes/access/access.ts'

/** A kubeconfig file with a token of a ServiceAccount, so that a program of this machine has the rights of that account. */
export async function accountKubeconfig(plane: Access, namespace: string, account: string): Promise<string> {
  const token = (await plane.kubectl(['create', 'token', account, '-n', namespace])).trim()
  const cluster = { server: plane.url, 'certificate-authority-data': Buffer.from(plane.ca).toString('base64') }
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster }],
    users: [{ name: account, user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: account } }],
    'current-context': 'test',
  }
  // Where it goes with the control plane.
  const path = join(dirname(plane.admin.kubeconfigPath), `${namespace}-${account}.kubeconfig`)
  await writeFile(path, JSON.stringify(content), { mode: 0o600 })
  return path
}
