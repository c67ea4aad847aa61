import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../time/clock.ts'
import type { ClusterAccess, Environment } from './access.ts'
import { credentialsOf } from './credentials.ts'

const serviceAccountDirectory = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The access that Kubernetes gives to a pod, or undefined if this is not one. */
export async function inClusterAccess(
  environment: Environment,
  clock: Clock,
  directory = serviceAccountDirectory,
): Promise<ClusterAccess | undefined> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment
  const namespace = await readFile(join(directory, 'namespace'), 'utf8').catch(() => undefined)
  if (!host || !port || namespace === undefined) return undefined
  const cluster = {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    'certificate-authority': join(directory, 'ca.crt'),
  }
  return {
    server: cluster.server,
    namespace: namespace.trim(),
    origin: `the service account in ${directory}`,
    credentials: credentialsOf(cluster, { tokenFile: join(directory, 'token') }, clock),
  }
}
