import { readFileSync } from 'node:fs'
import { run } from '../../src/lab/host/command.ts'

/** Has the udhcpc of a namespace VM renew its lease now instead of at half its time. */
export async function renewLease(machine: string): Promise<void> {
  const pids = (await run('ip', ['netns', 'pids', machine])).split('\n').filter(Boolean).map(Number)
  const client = pids.find((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'udhcpc')
  if (client === undefined) throw new Error(`no udhcpc runs in ${machine}`)
  process.kill(client, 'SIGUSR1')
}
