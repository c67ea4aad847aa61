import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const root = '/sys/fs/cgroup'

/**
 * The trees of control groups: one per controller where the machine has version 1, a single one where it has version 2.
 */
function hierarchies(): string[] {
  if (existsSync(join(root, 'cgroup.controllers'))) return [root]
  return subdirectories(root)
    .map((name) => join(root, name))
    .filter((path) => existsSync(join(path, 'cgroup.procs')))
}

/** Makes the group in every tree, so that whoever is told to live below it finds it. */
export function makeCgroup(path: string): void {
  for (const hierarchy of hierarchies()) {
    const group = join(hierarchy, path)
    mkdirSync(group, { recursive: true })
    inheritCpuset(hierarchy, group)
  }
}

/** Version 1 starts a cpuset with no processor and no memory in it, and then nothing may enter. */
function inheritCpuset(hierarchy: string, group: string): void {
  if (group === hierarchy) return
  inheritCpuset(hierarchy, dirname(group))
  for (const file of ['cpuset.cpus', 'cpuset.mems']) {
    const path = join(group, file)
    // Version 2 has the files too; empty means the parent's there.
    if (hierarchy === root || !existsSync(path) || readFileSync(path, 'utf8').trim() !== '') continue
    writeFileSync(path, readFileSync(join(dirname(group), file), 'utf8'))
  }
}

/**
 * Kills what still runs in the group or below it, and removes it. The group is ours alone, so is whatever is in it.
 * Returns when it is gone; a group is busy for a moment after its last process has died.
 */
export async function removeCgroup(path: string, withinMs = 10_000): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += 20) {
    const left = hierarchies()
      .map((hierarchy) => join(hierarchy, path))
      .filter((group) => !removeTree(group))
    if (left.length === 0) return
    if (waitedMs >= withinMs) throw new Error(`control group ${left.join(', ')} cannot be removed`)
    await sleep(20)
  }
}

function removeTree(group: string): boolean {
  if (!existsSync(group)) return true
  for (const child of subdirectories(group)) removeTree(join(group, child))
  try {
    for (const pid of readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean)) kill(Number(pid))
    rmdirSync(group)
    return true
  } catch {
    return !existsSync(group)
  }
}

function kill(pid: number): void {
  try {
    if (pid > 0) process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself in this very moment.
  }
}

function subdirectories(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
  } catch {
    return []
  }
}
