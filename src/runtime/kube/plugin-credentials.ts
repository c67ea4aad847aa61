import type { Clock } from '../time/clock.ts'
import { type CredentialSource, impersonation, remembering, tlsOf } from './credentials.ts'
import type { KubeconfigCluster, KubeconfigUser } from './kubeconfig-file.ts'

/**
 * Users whose credentials another program provides: `exec` plugins and the old `auth-provider`s. This is what
 * `@kubernetes/client-node` is for; it is loaded only here, because it takes a second and some 60 MB.
 */
export function pluginCredentials(
  cluster: KubeconfigCluster,
  user: KubeconfigUser,
  name: string,
  clock: Clock,
): CredentialSource {
  return remembering(clock, async () => {
    const { KubeConfig } = await import('@kubernetes/client-node')
    const library = new KubeConfig()
    const { exec, 'auth-provider': authProvider } = user
    library.loadFromOptions({
      clusters: [{ name, server: cluster.server }],
      users: [{ name, exec: exec && withClusterInfo(exec, cluster), authProvider }],
      contexts: [{ name, cluster: name, user: name }],
      currentContext: name,
    })
    const options: { headers?: Record<string, string>; cert?: unknown; key?: unknown } = {}
    await library.applyToHTTPSOptions(options)
    const tls = await tlsOf(cluster, user)
    return {
      headers: { ...options.headers, ...impersonation(user) },
      tls: { ...tls, ...text('cert', options.cert), ...text('key', options.key) },
    }
  })
}

/** Plugins of v1 refuse to run without it. */
function withClusterInfo(exec: Record<string, unknown>, cluster: KubeconfigCluster): Record<string, unknown> {
  const spec = {
    interactive: false,
    ...(exec.provideClusterInfo === true
      ? { cluster: { server: cluster.server, 'certificate-authority-data': cluster['certificate-authority-data'] } }
      : {}),
  }
  const info = { apiVersion: exec.apiVersion, kind: 'ExecCredential', spec }
  const env = Array.isArray(exec.env) ? exec.env : []
  return { ...exec, env: [...env, { name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(info) }] }
}

function text(field: 'cert' | 'key', value: unknown): Record<string, string> {
  return typeof value === 'string' || Buffer.isBuffer(value) ? { [field]: value.toString() } : {}
}
