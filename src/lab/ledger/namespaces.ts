import { existsSync, readdirSync, readlinkSync, statSync } from 'node:fs'
import { run, tolerate } from '../host/command.ts'
import { endProcess } from './endprocess.ts'
import { identify, type ProcessIdentity } from './identity.ts'

const place = '/run/netns'

/** The named network namespaces that there are, as /proc names them; each outlives its name while a process is inside. */
export function networksNamed(names: readonly string[]): string[] {
  return names
    .map((name) => statSync(`${place}/${name}`, { throwIfNoEntry: false }))
    .filter((found) => found !== undefined)
    .map(({ ino }) => `net:[${ino}]`)
}

/** Every process in one of these networks, whatever it is called. */
export function processesIn(networks: readonly string[]): ProcessIdentity[] {
  const wanted = new Set(networks)
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && wanted.has(networkOf(name)))
    .map((pid) => identify(Number(pid)))
    .filter((identity) => identity !== undefined)
}

function networkOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`)
  } catch {
    return ''
  }
}

/**
 * Ends whatever still runs inside first: a daemon that a DHCP client left behind is in no ledger, but it is in the
 * namespace, and as long as it lives so does the namespace. Two hundred cost no more programs than one.
 */
export async function removeNamespaces(names: readonly string[]): Promise<void> {
  const there = (): string[] => names.filter((name) => existsSync(`${place}/${name}`))
  const networks = networksNamed(there())
  if (networks.length === 0) return
  for (let attempt = 0; attempt < 5; attempt++) {
    const inside = processesIn(networks)
    if (inside.length === 0) break
    await Promise.all(inside.map((process) => endProcess(process, 0)))
  }
  const lines = there().map((name) => `netns delete ${name}\n`)
  await tolerate(run('ip', ['-force', '-batch', '-'], { input: lines.join('') }))
  const left = there()
  if (left.length > 0) throw new Error(`network namespaces cannot be deleted: ${left.join(', ')}`)
}
