import { expect, test, vi } from 'vitest'
import { decode } from './codec/decode.ts'
import { Bindings } from './leases/bindings.ts'
import { handle } from './protocol/dhcp-protocol.ts'
import { capturedPackets } from './testing/captured-packets.ts'
import { packet } from './testing/packets.ts'
import { settingsOf } from './testing/vlan.ts'

/** A tenth in every run, all of them with OOOI_SOAK=1. */
const packetCount = process.env.OOOI_SOAK === '1' ? 1_000_000 : 100_000
vi.setConfig({ testTimeout: 600_000 })

const poolSize = 50
const mostOffers = 4096

/** Park and Miller's generator: the same packets in every run. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 48_271) % 0x7fffffff
    return state % below
  }
}

/** What real clients sent, and what a relay agent and a careless client would. */
const seeds: readonly Buffer[] = [
  ...capturedPackets,
  packet({ type: 'discover', relayAddress: '192.168.100.50', options: [[82, [1, 2, 3, 4]]] }),
  packet({ type: 'inform', clientAddress: '192.168.100.60' }),
  packet({ type: 'decline', options: [[50, '192.168.100.60']] }),
  packet({ type: 'release', clientAddress: '192.168.100.60' }),
  packet({
    type: 'request',
    options: [
      [52, [3]],
      [57, [2, 64]],
    ],
    bootFile: Uint8Array.of(12, 200, 1, 2, 3),
  }),
]

function mutated(seed: Buffer, random: (below: number) => number): Buffer {
  let bytes = Buffer.from(seed)
  for (let changes = 1 + random(4); changes > 0; changes--) {
    const at = random(Math.max(1, bytes.length))
    switch (random(6)) {
      case 0:
        bytes[at] = random(256)
        break
      case 1:
        bytes = bytes.subarray(0, at)
        break
      case 2:
        bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from([random(256), random(256)]), bytes.subarray(at)])
        break
      case 3: {
        // Another option, with a length that need not be true.
        const value = Buffer.alloc(random(64), random(256))
        bytes = Buffer.concat([
          bytes.subarray(0, 240),
          Buffer.from([random(256), random(80)]),
          value,
          bytes.subarray(240),
        ])
        break
      }
      case 4:
        // Another client.
        if (bytes.length > 34) bytes.writeUInt32BE(random(0x7fffffff), 30)
        break
      default:
        // Another question.
        if (bytes.length > 242 && bytes[240] === 53) bytes[242] = random(10)
    }
  }
  return bytes
}

test(`${packetCount} broken packets: each gets answers or a counted drop, and nothing grows`, () => {
  const random = randomNumbers(20_260_101)
  const settings = settingsOf({ range: ['192.168.100.51', '192.168.100.100'] })
  const bindings = new Bindings(settings, [])
  const met = { dropped: 0, silent: 0, answered: 0 }
  let nowMs = 0
  for (let count = 0; count < packetCount; count++) {
    const bytes = mutated(seeds[random(seeds.length)] ?? Buffer.alloc(0), random)
    const message = decode(bytes)
    nowMs += random(200)
    bindings.sweep(nowMs)
    if (typeof message === 'string') met.dropped++
    else {
      const { replies, silence } = handle(settings, bindings, message, nowMs)
      for (const reply of replies) expect(reply.bytes.length).toBeGreaterThanOrEqual(300)
      if (replies.length > 0) met.answered++
      else if (silence !== undefined) met.silent++
    }
  }
  const counts = bindings.counts()
  expect(counts.poolSize).toBe(poolSize)
  expect(counts.active + counts.declined + counts.expired).toBeLessThanOrEqual(poolSize)
  expect(counts.offered).toBeLessThanOrEqual(mostOffers)
  // Every way out was taken, or these are not the packets that they are meant to be.
  for (const times of Object.values(met)) expect(times).toBeGreaterThan(packetCount / 100)
})
