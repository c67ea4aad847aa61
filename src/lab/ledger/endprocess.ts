import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive, type ProcessIdentity } from './identity.ts'

/** SIGTERM, then SIGKILL after the grace; returns when the process is gone. */
export async function endProcess(process: ProcessIdentity, graceMs: number): Promise<void> {
  if (graceMs > 0 && send(process, 'SIGTERM') && (await gone(process, graceMs))) return
  if (send(process, 'SIGKILL') && !(await gone(process, 5000))) {
    throw new Error(`process ${process.pid} does not end, even when killed`)
  }
}

function send(target: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isAlive(target)) return false
  try {
    return process.kill(target.pid, signal)
  } catch {
    return false
  }
}

async function gone(process: ProcessIdentity, withinMs: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs += 10) {
    if (!isAlive(process)) return true
    await sleep(10)
  }
  return !isAlive(process)
}
