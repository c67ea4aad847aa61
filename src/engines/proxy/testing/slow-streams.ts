import { createHash, randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Contents of which no two have the same bytes at the same place, so that a lost, doubled or foreign piece changes the
 * sum. The kernel alone takes some megabytes per connection: shorter ones would never make a proxy wait.
 */
export function distinctContents({ count, bytes }: { readonly count: number; readonly bytes: number }): Buffer[] {
  const shift = 4099
  const common = randomBytes(bytes + count * shift)
  return Array.from({ length: count }, (_, index) => common.subarray(index * shift, index * shift + bytes))
}

export function sumOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Reads nothing at first, then all, stopping for a moment again and again, so that everything before it stays full. */
export async function readSlowly(socket: Socket, select = (piece: Buffer) => piece): Promise<string> {
  const sum = createHash('sha256')
  await sleep(200)
  let pieces = 0
  for await (const piece of socket) {
    sum.update(select(piece))
    pieces += 1
    if (pieces % 8 === 0) await sleep(1)
  }
  return sum.digest('hex')
}
