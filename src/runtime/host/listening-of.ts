import { readdir, readlink } from 'node:fs/promises'
import { realSocketHost } from './inherited-sockets.ts'
import type { BoundPlace } from './socket-table.ts'

/** Does this process itself have a socket at each of the places? Another one may have the same, so asking them tells nothing. */
export async function listensAt(pid: number, places: readonly BoundPlace[]): Promise<boolean> {
  const own = new Set(await socketInodes(pid))
  const bound = new Set(
    realSocketHost
      .table()
      .filter(({ inode, isListening }) => isListening && own.has(inode))
      .map(keyOf),
  )
  return places.every((place) => bound.has(keyOf(place)))
}

function keyOf({ protocol, address, port }: BoundPlace): string {
  return `${protocol} ${address} ${port}`
}

async function socketInodes(pid: number): Promise<number[]> {
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => [])
  const links = await Promise.all(descriptors.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')))
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []).map(Number)
}
