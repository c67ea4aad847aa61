import { createSocket } from 'node:dgram'
import { decode } from 'dns-packet'
import { expect } from 'vitest'
import { query } from './testing.ts'

/** What two servers must agree on: serial numbers and helpful extras are their own business. */
export function essence(reply: Uint8Array): string {
  const packet = decode(Buffer.from(reply))
  const code = (reply[3] ?? 0) & 15
  const record = (each: NonNullable<typeof packet.answers>[number]) => {
    const data = 'data' in each ? each.data : undefined
    const value = typeof data === 'object' && data !== null && 'serial' in data ? { ...data, serial: 0 } : data
    return `${each.name.toLowerCase()} ${'ttl' in each ? each.ttl : ''} ${each.type} ${JSON.stringify(value)}`
  }
  const answers = (packet.answers ?? []).map(record).sort()
  const authority = (packet.authorities ?? []).filter(({ type }) => type === 'SOA').map(record)
  return JSON.stringify({ code, aa: packet.flag_aa, tc: packet.flag_tc, answers, authority })
}

/** Asks over UDP, from an address of its own if that matters. */
export async function askAll(
  server: { readonly address: string; readonly port: number },
  packets: readonly Uint8Array[],
  from?: string,
): Promise<Uint8Array[]> {
  const socket = createSocket('udp4')
  await new Promise<void>((resolve) => socket.bind(0, from, resolve))
  const replies: Uint8Array[] = []
  socket.on('message', (reply) => {
    replies[reply.readUInt16BE(0)] = reply
  })
  for (const [index, packet] of packets.entries()) {
    socket.send(packet, server.port, server.address)
    // A few at a time: this is about answers, not about buffers.
    if (index % 16 === 15 || index === packets.length - 1)
      await expect.poll(() => replies[index] !== undefined, { interval: 1, timeout: 10_000 }).toBe(true)
  }
  await expect.poll(() => packets.every((_packet, index) => replies[index]), { timeout: 10_000 }).toBe(true)
  socket.close()
  return replies
}

const types = ['A', 'AAAA', 'TXT', 'MX', 'SRV', 'NS', 'SOA', 'PTR', 'CNAME', 'HTTPS']

/** Every name of up to `depth` of these labels in front of one of the apexes. */
export function namesOf(apexes: readonly string[], labels: readonly string[], depth: number): string[] {
  let level = [...apexes]
  const names = [...level]
  for (let index = 0; index < depth; index++) {
    level = level.flatMap((name) => labels.map((label) => `${label}.${name}`))
    names.push(...level)
  }
  return names
}

export function packetsFor(names: readonly string[]): Uint8Array[] {
  return names
    .flatMap((name) => types.map((type) => [name, type] as const))
    .map(([name, type], id) => query(name, type, { id, flags: 0 }))
}

/** The questions to which two servers give different answers. */
export function differences(
  packets: readonly Uint8Array[],
  ours: (packet: Uint8Array) => Uint8Array | string,
  theirs: readonly Uint8Array[],
): unknown[] {
  return packets.flatMap((packet, index) => {
    const reply = ours(packet)
    const our = typeof reply === 'string' ? reply : essence(reply)
    const their = essence(theirs[index] ?? new Uint8Array(12))
    return our === their ? [] : [{ asked: decode(Buffer.from(packet)).questions, our, their }]
  })
}
