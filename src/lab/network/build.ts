import { run } from '../host/command.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { ipBatches, type NetworkShape, namespacesOf } from './shape.ts'

/**
 * Builds the network; the ledger takes it away again. Both ends of a cable vanish with their namespaces, all at once
 * and in the background; deleting each by itself would hold the kernel's one network lock hundreds of times.
 */
export async function buildNetwork(ledger: Ledger, shape: NetworkShape): Promise<void> {
  for (const name of namespacesOf(shape)) ledger.record({ kind: 'namespace', name })
  for (const batch of ipBatches(shape)) {
    const where = batch.namespace === undefined ? [] : ['-n', batch.namespace]
    await run('ip', [...where, '-batch', '-'], { input: `${batch.lines.join('\n')}\n`, diesWithUs: true })
  }
}

/** `ip netns exec` would mount a new /sys and hide the control groups; nsenter changes the network and nothing else. */
export function inNamespace(namespace: string, command: readonly string[]): string[] {
  return ['nsenter', `--net=/run/netns/${namespace}`, '--', ...command]
}

/** A network setting of the namespace, e.g. `net/ipv4/ip_forward`. */
export async function setSysctl(namespace: string, key: string, value: string): Promise<void> {
  const [command = '', ...args] = inNamespace(namespace, ['tee', `/proc/sys/${key}`])
  await run(command, args, { input: value })
}
