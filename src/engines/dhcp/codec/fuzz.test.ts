import { expect, test } from 'vitest'
import { handle } from '../protocol/dhcp-protocol.ts'
import { packet, parseReply } from '../testing/packets.ts'
import { Vlan } from '../testing/vlan.ts'
import { decode } from './decode.ts'

const packetCount = 100_000

/** Repeatable, so that a failure can be looked at: mulberry32. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const us = '192.168.100.2'
const mac = '02:00:00:00:00:01'
/** Shaped like what dhclient, NetworkManager and a relay agent send. */
const realPackets = [
  packet({
    type: 'discover',
    options: [
      [12, [...Buffer.from('vm')]],
      [55, [1, 28, 2, 3, 15, 6, 119, 12]],
    ],
  }),
  packet({
    type: 'request',
    mac,
    options: [
      [50, '192.168.100.10'],
      [54, us],
      [61, [1, 2, 0, 0, 0, 0, 1]],
      [57, [2, 64]],
    ],
  }),
  packet({ type: 'request', mac, clientAddress: '192.168.100.10' }),
  packet({
    type: 'decline',
    mac,
    options: [
      [50, '192.168.100.10'],
      [54, us],
    ],
  }),
  packet({ type: 'release', mac, clientAddress: '192.168.100.10' }),
  packet({ type: 'inform', mac, clientAddress: '192.168.100.10', options: [[81, [1, 0, 0, 118, 109]]] }),
  packet({
    type: 'discover',
    relayAddress: '192.168.100.5',
    options: [[82, [1, 2, 9, 9, 5, 4, 192, 168, 100, 0, 19, 0]]],
  }),
  packet({
    type: 'discover',
    options: [[52, [3]]],
    bootFile: Uint8Array.of(61, 2, 1, 1, 255),
    serverName: Uint8Array.of(55, 1, 3, 255),
  }),
]

function mutated(random: (below: number) => number): Buffer {
  const copy = Buffer.from(realPackets[random(realPackets.length)] ?? Buffer.alloc(0))
  for (let changes = random(8); changes >= 0; changes--) {
    // Mostly where the options are: a packet with a broken header is dropped before anything can happen to it.
    const at = random(10) === 0 ? random(copy.length) : 236 + random(Math.max(1, copy.length - 236))
    copy[at] = random(256)
  }
  const cut = random(4) === 0 ? random(copy.length) : copy.length
  const extra = random(8) === 0 ? Buffer.from(Array.from({ length: random(400) }, () => random(256))) : Buffer.alloc(0)
  return Buffer.concat([copy.subarray(0, cut), extra])
}

function noise(random: (below: number) => number): Buffer {
  const bytes = Buffer.from(Array.from({ length: random(400) }, () => random(256)))
  const isPlausible = bytes.length >= 240 && random(2) === 0
  if (isPlausible) packet({ type: 'request' }).copy(bytes, 0, 0, 240)
  return bytes
}

test(`${packetCount} random and mutated packets: none throws, and every answer is well-formed`, () => {
  const random = numbersFrom(20_260_101)
  const vlan = new Vlan()
  let answered = 0
  for (let number = 0; number < packetCount; number++) {
    const bytes = number % 4 === 0 ? noise(random) : mutated(random)
    const message = decode(bytes)
    if (typeof message === 'string') continue
    vlan.nowMs += random(100)
    vlan.bindings.sweep(vlan.nowMs)
    const { replies } = handle(vlan.settings, vlan.bindings, message, vlan.nowMs)
    for (const reply of replies) {
      answered++
      expect(parseReply(reply.bytes)).toMatchObject({ type: reply.type, op: 2 })
    }
  }
  expect(answered).toBeGreaterThan(1000)
  expect(vlan.bindings.counts().poolUsed).toBeLessThanOrEqual(vlan.bindings.counts().poolSize)
}, 60_000)
