import { readFile } from 'node:fs/promises'

/** The kernel's unit in /proc, the same on every Linux that Node runs on. */
const ticksPerSecond = 100

/** CPU time of the processes, all threads. */
export async function cpuSeconds(pids: readonly number[]): Promise<number> {
  const times = await Promise.all(pids.map(async (pid) => processTimes(await readProc(`/proc/${pid}/stat`)).own))
  return times.reduce((sum, seconds) => sum + seconds, 0)
}

/** CPU time of this process and of all its children that have ended, as every generator has after a sample. */
export async function loadCpuSeconds(): Promise<number> {
  const { own, endedChildren } = processTimes(await readProc('/proc/self/stat'))
  return own + endedChildren
}

export async function machineCpuSeconds(): Promise<number> {
  return busySeconds(await readProc('/proc/stat'))
}

/** From /proc/PID/stat: fields 14 to 17. A process that is gone has used nothing since. */
export function processTimes(stat: string): { readonly own: number; readonly endedChildren: number } {
  // The command name stands in parentheses and may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15).map(Number)
  return { own: (user + system) / ticksPerSecond, endedChildren: (childrenUser + childrenSystem) / ticksPerSecond }
}

/** From the first line of /proc/stat: everything but idle and waiting for the disk. */
export function busySeconds(stat: string): number {
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (stat.split('\n', 1)[0] ?? '')
    .split(/\s+/)
    .map(Number)
  return (user + nice + system + irq + softirq + steal) / ticksPerSecond
}

function readProc(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '')
}
