import packageJson from '../../package.json' with { type: 'json' }
import { failed, ok, type Problem, type Result } from '../core/result.ts'
import { KubeClient } from '../runtime/kube/client.ts'
import { findAccess } from '../runtime/kube/kubeconfig.ts'
import { KubeconfigError } from '../runtime/kube/kubeconfig-file.ts'
import { Transport } from '../runtime/kube/transport.ts'
import { systemClock } from '../runtime/time/clock.ts'
import type { Terminal } from './terminal.ts'

/** Lets `use` read of the cluster that kubectl would ask; a cluster that cannot be asked is a problem. */
export async function readCluster<Value>(
  terminal: Terminal,
  kubeconfig: string | undefined,
  use: (client: KubeClient) => Promise<Result<Value>>,
): Promise<Result<Value>> {
  let transport: Transport | undefined
  try {
    const access = await findAccess({ environment: terminal.env, clock: systemClock, path: kubeconfig })
    const userAgent = `oooi/${packageJson.version}`
    transport = new Transport(access, { clock: systemClock, random: Math.random, userAgent, callTimeoutMs: 10_000 })
    return await use(new KubeClient(transport, 'oooi'))
  } catch (error) {
    const reason = error instanceof KubeconfigError ? 'NoCluster' : 'ClusterUnreachable'
    return failed({ reason, message: error instanceof Error ? error.message : String(error) })
  } finally {
    await transport?.close()
  }
}

/** `namespace/name` as people write it; what is missing is found missing by the API server. */
export function parseReference(text: string): { namespace: string; name: string } {
  const [namespace = '', name = ''] = text.split('/')
  return { namespace, name }
}

export function found<Value>(value: Value | undefined, what: string): Result<Value> {
  const missing: Problem = { reason: 'ObjectMissing', message: `there is no ${what}` }
  return value === undefined ? failed(missing) : ok(value)
}
