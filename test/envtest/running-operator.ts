import { fileURLToPath } from 'node:url'
import { createOperator, type OperatorOptions } from '../../src/controllers/shared/create.ts'
import type { OperatorSettings } from '../../src/controllers/shared/operator.ts'
import { virtualIngressDefaults } from '../../src/controllers/virtualingress/settings.ts'
import type { Access, User } from '../../src/lab/kubernetes/access/access.ts'
import { runControllers } from '../../src/runtime/controller/run.ts'
import type { KubeClient } from '../../src/runtime/kube/client.ts'
import { FenceClosed } from '../../src/runtime/kube/fence.ts'
import { systemClock } from '../../src/runtime/time/clock.ts'
import { clientFor, silent } from './runtime-things.ts'

/** The operator in this process on a real API server, with exactly the rights that it is installed with. */

export interface RunningOperator {
  readonly client: KubeClient
  /** How often reconciles ended, over all controllers. */
  reconciles(): number
  /** Keys that it wants to look at again later. */
  delayed(): number
  /** Calls that change something. */
  writes(): number
  /** It wanted to write more than it was allowed to. */
  isCutOff(): boolean
  stop(): Promise<void>
}

export interface StartOptions extends Partial<Pick<OperatorOptions, 'controllers' | 'metrics' | 'clock' | 'dial'>> {
  readonly settings?: Partial<OperatorSettings>
  /** After so many nothing gets out any more, as if the process had died. */
  readonly mostWrites?: number
}

export async function startOperator(plane: Access, options: StartOptions = {}): Promise<RunningOperator> {
  const { settings, mostWrites = Number.POSITIVE_INFINITY, clock = systemClock, ...parts } = options
  const manager = await managerOf(plane)
  const client = await clientFor(manager.kubeconfigPath, 'oooi')
  let wanted = 0
  const writer = client.fencedBy(() => {
    wanted++
    if (wanted > mostWrites) throw new FenceClosed('dead')
  })
  const stop = new AbortController()
  const { informers, controllers, events, close } = createOperator({
    reader: client,
    writer,
    identity: 'test',
    settings: {
      image: 'oooi:test',
      corednsImage: 'coredns:test',
      envoyImage: 'envoy:test',
      anyTargetNamespace: false,
      targetCidrs: [],
      virtualIngress: virtualIngressDefaults,
      ...settings,
    },
    clock,
    random: Math.random,
    log: silent,
    ...parts,
  })
  const running = runControllers({ informers, controllers, clock, log: silent, signal: stop.signal })
  return {
    client,
    reconciles: () =>
      controllers.reduce((sum, controller) => {
        const { done, requeued, failed, terminal } = controller.stats().results
        return sum + done + requeued + failed + terminal
      }, 0),
    delayed: () => controllers.reduce((sum, controller) => sum + controller.stats().delayed, 0),
    writes: () =>
      [...client.transport.stats().calls]
        .filter(([call]) => !call.startsWith('GET'))
        .reduce((sum, [, count]) => sum + count, 0),
    isCutOff: () => wanted > mostWrites,
    async stop() {
      stop.abort()
      await running
      await events.stop(1000)
      await close()
      await client.transport.close()
    },
  }
}

const managers = new WeakMap<Access, Promise<User>>()

/** Somebody with exactly the rights that the manager is installed with. */
export function managerOf(plane: Access): Promise<User> {
  const known = managers.get(plane) ?? addManager(plane)
  managers.set(plane, known)
  return known
}

async function addManager(plane: Access): Promise<User> {
  const user = await plane.addUser('oooi-manager-under-test')
  const role = fileURLToPath(new URL('../../config/rbac/role.yaml', import.meta.url))
  await plane.kubectl(['apply', '--server-side', '-f', role])
  // Applied: another file may have done the same to the control plane that both share.
  const apiGroup = 'rbac.authorization.k8s.io'
  const binding = {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: user.name },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'oooi-manager' },
    subjects: [{ apiGroup, kind: 'User', name: user.name }],
  }
  await plane.kubectl(['apply', '--server-side', '-f', '-'], { input: JSON.stringify(binding) })
  return user
}
