import { readFileSync } from 'node:fs'

/** A process that cannot be mistaken for a later one: numbers are used again, also after a reboot. */
export interface ProcessIdentity {
  readonly pid: number
  /** Clock ticks between boot and the start of the process. */
  readonly startTicks: number
  readonly bootId: string
}

/** Who has this number now; nobody if it is free or its owner is dead and only waits to be collected. */
export function identify(pid: number): ProcessIdentity | undefined {
  const stat = readProc(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // The command name stands in parentheses and may itself hold spaces and parentheses; the rest has neither.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state] = fields
  const startTicks = Number(fields[19])
  if (state === 'Z' || state === 'X' || !Number.isSafeInteger(startTicks)) return undefined
  return { pid, startTicks, bootId: readProc('/proc/sys/kernel/random/boot_id')?.trim() ?? '' }
}

export function isAlive(identity: ProcessIdentity): boolean {
  const now = identify(identity.pid)
  return now !== undefined && now.startTicks === identity.startTicks && now.bootId === identity.bootId
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
