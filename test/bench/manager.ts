import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { thriftyMalloc } from '../../tools/image/images.ts'
import type { ControlPlane } from '../envtest/controlplane.ts'
import { freePorts } from '../envtest/ports.ts'
import { managerOf } from '../envtest/running-operator.ts'
import { checkout } from './peers/version.ts'

/** The bundled manager with the rights it is installed with, its caches complete. `make build` made it. */
export async function startManager(
  plane: ControlPlane,
  flags: readonly string[] = [],
): Promise<{ readonly pid: number; stop(): Promise<void> }> {
  const { kubeconfigPath } = await managerOf(plane)
  const [port = 0] = await freePorts(1)
  const places = ['--metrics-bind-address', '0', '--health-probe-bind-address', `127.0.0.1:${port}`]
  const program = [join(checkout, 'dist/oooi/oooi.mjs'), 'manager', '--kubeconfig', kubeconfigPath]
  // As in its pod, where V8 gives the heap half of the memory that the pod may have (512 MiB).
  const env = { ...process.env, ...thriftyMalloc, NODE_OPTIONS: '--max-semi-space-size=2 --max-old-space-size=256' }
  const child = spawn(process.execPath, [...program, '--log-level', 'warn', ...places, ...flags], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env,
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/readyz`)
      .then(({ ok }) => ok)
      .catch(() => false)
  while (!(await isReady())) await sleep(20)
  return {
    pid: child.pid ?? 0,
    stop: () => {
      child.kill()
      return ended
    },
  }
}
