import { existsSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { CommandFailed, run } from '../host/command.ts'
import { removeCgroup } from './cgroup.ts'
import { identify, isAlive, type ProcessIdentity } from './identity.ts'

const processIdentity = z.object({ pid: z.int(), startTicks: z.int(), bootId: z.string() })

/** Something a lab made on the host and must take away again. */
export const thingSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('namespace'), name: z.string() }),
  z.object({ kind: z.literal('interface'), namespace: z.string(), name: z.string() }),
  z.object({ kind: z.literal('process'), what: z.string(), process: processIdentity, graceMs: z.number() }),
  z.object({ kind: z.literal('mount'), path: z.string() }),
  z.object({ kind: z.literal('directory'), path: z.string() }),
  z.object({ kind: z.literal('cgroup'), path: z.string() }),
])

export type Thing = z.infer<typeof thingSchema>

/** The first line of a ledger: whose it is. */
export const ownerSchema = z.object({ owner: processIdentity })

/** Takes it away. That it is not there any more, or never came to be, is as good. */
export async function removeThing(thing: Thing): Promise<void> {
  switch (thing.kind) {
    case 'namespace':
      return removeNamespace(thing.name)
    case 'interface':
      return removeInterface(thing.namespace, thing.name)
    case 'process':
      return endProcess(thing.process, thing.graceMs)
    case 'mount':
      return unmount(thing.path)
    case 'directory':
      return rmSync(thing.path, { recursive: true, force: true })
    case 'cgroup':
      return removeCgroup(thing.path)
  }
}

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

/**
 * Ends whatever still runs inside first: a daemon that a DHCP client left behind is in no ledger, but it is in the
 * namespace, and as long as it lives so does the namespace.
 */
async function removeNamespace(name: string): Promise<void> {
  if (!existsSync(`/run/netns/${name}`)) return
  for (let attempt = 0; attempt < 5; attempt++) {
    const pids = (await tolerate(run('ip', ['netns', 'pids', name]))).split('\n').filter(Boolean)
    if (pids.length === 0) break
    const found = pids.map((pid) => identify(Number(pid))).filter((identity) => identity !== undefined)
    await Promise.all(found.map((identity) => endProcess(identity, 0)))
  }
  await tolerate(run('ip', ['netns', 'delete', name]))
  if (existsSync(`/run/netns/${name}`)) throw new Error(`network namespace ${name} cannot be deleted`)
}

async function removeInterface(namespace: string, name: string): Promise<void> {
  if (existsSync(`/run/netns/${namespace}`)) await tolerate(run('ip', ['-n', namespace, 'link', 'delete', name]))
}

async function unmount(path: string): Promise<void> {
  await tolerate(run('umount', ['--lazy', path]))
}

/** The commands refuse to remove what is not there; whether it is gone is looked at, not inferred from their words. */
async function tolerate(command: Promise<string>): Promise<string> {
  return command.catch((error: unknown) => {
    if (error instanceof CommandFailed) return ''
    throw error
  })
}
