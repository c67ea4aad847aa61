import { fstatSync, readFileSync } from 'node:fs'
import { endianness } from 'node:os'
import { failed, ok, type Problem, type Result } from '../../core/result.ts'
import type { InheritedDescriptor } from './inherited-descriptors.ts'
import { type BoundPlace, readSocketTable, type TableEntry } from './socket-table.ts'

/** A socket that is open and bound already. */
export interface InheritedSocket extends InheritedDescriptor {
  readonly place: BoundPlace
}

/** What the host says of its sockets; a test says something else. */
export interface SocketHost {
  /** The inode of the socket; undefined if it is another kind of file. Throws if nothing is open there. */
  readonly inodeOf: (fd: number) => number | undefined
  readonly table: () => readonly TableEntry[]
}

/** The tables are read, not the sockets: a socket that is asked begins to take what waits in it. */
export const realSocketHost: SocketHost = {
  inodeOf: (fd) => {
    const file = fstatSync(fd)
    return file.isSocket() ? file.ino : undefined
  },
  table: () => {
    const isLittleEndian = endianness() === 'LE'
    const read = (name: string) => {
      try {
        return readFileSync(`/proc/self/net/${name}`, 'latin1')
      } catch {
        // A kernel without IPv6 has no such tables.
        return ''
      }
    }
    return (['tcp', 'udp'] as const).flatMap((protocol) =>
      [protocol, `${protocol}6`].flatMap((name) => readSocketTable(read(name), protocol, isLittleEndian)),
    )
  },
}

/** What each of the descriptors is, or one sentence for each that is of no use. */
export function inheritedSockets(
  descriptors: readonly InheritedDescriptor[],
  host: SocketHost = realSocketHost,
): Result<readonly InheritedSocket[]> {
  if (descriptors.length === 0) return ok([])
  const table = new Map(host.table().map((entry) => [entry.inode, entry]))
  const sockets: InheritedSocket[] = []
  const problems: Problem[] = []
  for (const descriptor of descriptors) {
    const found = lookAt(descriptor, table, host)
    if (typeof found === 'string') problems.push(unusable(descriptor, found))
    else sockets.push({ ...descriptor, place: found })
  }
  return problems.length > 0 ? failed(...problems) : ok(sockets)
}

function lookAt(
  { fd }: InheritedDescriptor,
  table: ReadonlyMap<number, TableEntry>,
  { inodeOf }: SocketHost,
): BoundPlace | string {
  let inode: number | undefined
  try {
    inode = inodeOf(fd)
  } catch {
    return 'is not open; LISTEN_FDS must be the number of descriptors that are passed'
  }
  if (inode === undefined) return 'is no socket; pass sockets of ListenStream= and ListenDatagram= only'
  const entry = table.get(inode)
  if (!entry) return 'is neither TCP nor UDP of this network; use ListenStream= or ListenDatagram= with address:port'
  const { protocol, address, port, isListening } = entry
  const where = `${protocol} ${address}:${port}`
  if (!isListening && protocol === 'tcp') return `(${where}) does not listen; use ListenStream= with Accept=no`
  if (!isListening) return `(${where}) is connected to one peer; use ListenDatagram=`
  return { protocol, address, port }
}

function unusable({ fd, name }: InheritedDescriptor, why: string): Problem {
  return { reason: 'SocketUnusable', message: `descriptor ${fd} (${name}) ${why}.` }
}
