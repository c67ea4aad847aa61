import { failed, ok, type Result } from '../../core/result.ts'

/** A file descriptor that systemd opened for this process, and the name its unit gives it (FileDescriptorName=, OpenFile=). */
export interface InheritedDescriptor {
  readonly fd: number
  readonly name: string
}

/** The first one after standard input, output and error. */
const firstDescriptor = 3
/** Linux opens no more per process, unless somebody raised fs.nr_open. */
const mostDescriptors = 1_048_576

/**
 * What systemd opened for the process `pid`, read from LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES as sd_listen_fds(3) does:
 * nothing if they are not there, or meant for another process that handed its environment down. Without names all are
 * called `unknown`.
 */
export function inheritedDescriptors(
  env: Readonly<Record<string, string | undefined>>,
  pid: number,
): Result<readonly InheritedDescriptor[]> {
  const { LISTEN_PID: pidText, LISTEN_FDS: countText, LISTEN_FDNAMES: namesText } = env
  if (pidText === undefined || countText === undefined) return ok([])
  const forPid = parseCount(pidText)
  if (forPid === undefined) return unreadable(`LISTEN_PID is ${quote(pidText)}; it must be the number of a process`)
  if (forPid !== pid) return ok([])
  const count = parseCount(countText)
  if (count === undefined || count > mostDescriptors) {
    return unreadable(`LISTEN_FDS is ${quote(countText)}; it must be a number from 0 to ${mostDescriptors}`)
  }
  const names = namesText === undefined ? undefined : splitNames(namesText)
  if (names && names.length !== count) {
    return unreadable(
      `LISTEN_FDNAMES has ${names.length} names, but LISTEN_FDS says ${count}; each descriptor needs one`,
    )
  }
  return ok(Array.from({ length: count }, (_, index) => descriptor(index, names)))
}

function descriptor(index: number, names: readonly string[] | undefined): InheritedDescriptor {
  return { fd: firstDescriptor + index, name: names?.[index] ?? 'unknown' }
}

/** A name cannot hold a colon, so none is escaped. */
function splitNames(text: string): string[] {
  return text === '' ? [] : text.split(':')
}

function parseCount(text: string): number | undefined {
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined
}

function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}

function unreadable(message: string) {
  return failed({ reason: 'DescriptorsUnreadable', message: `${message}.` })
}
