import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../../runtime/observe/log.ts'
import type { EnvoyAdmin } from './envoy-admin.ts'

/** Takes no new connections, and waits until the last one has ended, or the time is over, or nobody answers. */
export async function drainEnvoy(admin: EnvoyAdmin, graceMs: number, log: Logger): Promise<void> {
  const deadlineMs = performance.now() + graceMs
  try {
    await admin.drain()
    let left = await admin.openConnections()
    for (; left > 0 && performance.now() < deadlineMs; left = await admin.openConnections()) await sleep(200)
    log.info({ left }, 'Envoy is drained')
  } catch (error) {
    log.warn({ error: String(error) }, 'Envoy could not be drained')
  }
}
