import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RunningProcess, startProcess } from './host/process.ts'
import { isOwnRoot, ordinaryUser } from './host/userns.ts'
import { labInfraYaml } from './infra.ts'
import type { Ledger } from './ledger/ledger.ts'
import { inNamespace, setSysctl } from './network/build.ts'
import { type LabPlan, namespaceOf } from './plan.ts'

export interface Oooi extends RunningProcess {
  readonly infraFile: string
  readonly stateDir: string
}

/**
 * `oooi up` with a leg in each network, as an ordinary user without any capability, as in its pod. Returns when it
 * says it is ready.
 */
export async function startOooi(ledger: Ledger, plan: LabPlan, checkout: string, stop: AbortSignal): Promise<Oooi> {
  const namespace = namespaceOf(plan, 'oooi')
  await setSysctl(namespace, 'net/ipv4/ip_unprivileged_port_start', '0')
  // The break of one address must not take the others of its network with it.
  await setSysctl(namespace, 'net/ipv4/conf/net1/promote_secondaries', '1')
  const infraFile = join(ledger.directory, 'infra.yaml')
  const stateDir = join(ledger.directory, 'state')
  writeFileSync(infraFile, labInfraYaml(plan))
  mkdirSync(stateDir, { mode: 0o700 })
  if (!isOwnRoot()) chownSync(stateDir, ordinaryUser, ordinaryUser)
  const visible = join(ledger.directory, 'checkout')
  const running = startProcess(ledger, {
    what: 'oooi',
    command: inNamespace(namespace, [
      ...asOrdinaryUser(checkout, visible),
      join(visible, 'bin', 'oooi'),
      ...['up', '-f', infraFile, '--state-dir', stateDir, '--pod-address', plan.pods.oooi, '--drain', '1s'],
    ]),
    logFile: join(ledger.directory, 'oooi.log'),
    graceMs: 10_000,
  })
  await ready(running, join(stateDir, 'oooi.sock'), stop)
  return { ...running, infraFile, stateDir }
}

/**
 * The checkout may lie where an ordinary user cannot look, such as /root. In a mount namespace of its own the process
 * sees it at a place where it can; nobody else does. The program, by its path there, and its arguments follow.
 */
export function asOrdinaryUser(checkout: string, visibleAt: string): string[] {
  mkdirSync(visibleAt, { recursive: true })
  const user = isOwnRoot() ? [] : [`--reuid=${ordinaryUser}`, `--regid=${ordinaryUser}`, '--clear-groups']
  const noCapabilities = ['--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all', '--no-new-privs']
  const become = ['setpriv', ...user, ...noCapabilities, '--pdeathsig=KILL', '--']
  const script = `mount --bind "$1" "$2" && cd / && shift 2 && exec "$@"`
  const shell = ['/bin/sh', '-c', script, 'sh', checkout, visibleAt]
  return ['unshare', '--mount', '--propagation', 'slave', '--', ...shell, ...become]
}

const readyWithinMs = 30_000

async function ready(running: RunningProcess, socketPath: string, stop: AbortSignal): Promise<void> {
  const deadlineMs = performance.now() + readyWithinMs
  while (!(await answersReady(socketPath))) {
    stop.throwIfAborted()
    if (running.hasEnded()) {
      throw new Error(`oooi up ended before it was ready (${await running.ended}): ${running.tail().join('\n')}`)
    }
    if (performance.now() > deadlineMs) {
      throw new Error(`oooi up was not ready within ${readyWithinMs / 1000} s: ${running.tail().join('\n')}`)
    }
    await sleep(25)
  }
}

function answersReady(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ socketPath, path: '/readyz', timeout: 1000 }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(false))
  })
}
