import { existsSync, rmSync } from 'node:fs'
import { z } from 'zod'
import { run, tolerate } from '../host/command.ts'
import { removeCgroup } from './cgroup.ts'
import { endProcess } from './endprocess.ts'
import { removeNamespaces } from './namespaces.ts'

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
      return removeNamespaces([thing.name])
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

async function removeInterface(namespace: string, name: string): Promise<void> {
  if (existsSync(`/run/netns/${namespace}`)) await tolerate(run('ip', ['-n', namespace, 'link', 'delete', name]))
}

async function unmount(path: string): Promise<void> {
  await tolerate(run('umount', ['--lazy', path]))
}
