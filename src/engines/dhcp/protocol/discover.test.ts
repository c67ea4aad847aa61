import { describe, expect, test } from 'vitest'
import { Vlan } from '../testing/vlan.ts'

const mac = '02:00:00:00:00:01'
const other = '02:00:00:00:00:02'

function macOf(number: number): string {
  return `06:${number
    .toString(16)
    .padStart(10, '0')
    .replace(/(..)(?=.)/g, '$1:')}`
}

describe('DISCOVER (RFC 2131 section 4.3.1)', () => {
  test('case 11: every offer to a client is the same address', () => {
    const vlan = new Vlan()
    const first = vlan.send({ type: 'discover', mac }).reply?.yourAddress
    vlan.send({ type: 'discover', mac: other })
    expect(vlan.send({ type: 'discover', mac, options: [[50, '192.168.100.77']] }).reply?.yourAddress).toBe(first)
  })

  test('case 11: first the lease in force, then the one remembered, then the wish, then any', () => {
    const vlan = new Vlan()
    const address = vlan.join(mac)
    const wish = { type: 'discover', mac, options: [[50, '192.168.100.42']] } as const
    expect(vlan.send(wish).reply?.yourAddress).toBe(address)
    vlan.pass(3601)
    expect(vlan.send(wish).reply?.yourAddress).toBe(address)
    expect(vlan.send({ ...wish, mac: other }).reply?.yourAddress).toBe('192.168.100.42')
    expect(vlan.send({ ...wish, mac: macOf(3) }).reply?.yourAddress).toBe('192.168.100.11')
  })

  test('case 11: a wish does not take an address that is remembered for somebody else', () => {
    const vlan = new Vlan()
    const address = vlan.join(mac)
    vlan.pass(3601)
    expect(vlan.send({ type: 'discover', mac: other, options: [[50, address]] }).reply?.yourAddress).not.toBe(address)
  })

  test('case 12: an offer is held for a while, in memory only', () => {
    const vlan = new Vlan({ range: ['192.168.100.10', '192.168.100.11'] })
    const offer = vlan.send({ type: 'discover', mac })
    expect(offer.outcome.leaseChanges).toEqual([])
    expect(vlan.send({ type: 'discover', mac: other }).reply?.yourAddress).not.toBe(offer.reply?.yourAddress)
    expect(vlan.bindings.counts().offered).toBe(2)
    vlan.pass(61)
    vlan.bindings.sweep(vlan.nowMs)
    expect(vlan.bindings.counts()).toMatchObject({ offered: 0, active: 0, poolUsed: 0 })
  })

  test('case 32: network, broadcast, server, gateway, resolver and exclusions are never given; .0 and .255 inside are', () => {
    const vlan = new Vlan({
      cidr: '10.1.0.0/20',
      range: ['10.1.0.0', '10.1.15.255'],
      gateway: '10.1.0.1',
      serverIP: '10.1.0.2',
      dnsServers: ['10.1.0.3', '10.1.0.4'],
      spec: { exclusions: ['10.1.2.0', '10.1.3.0-10.1.3.255'] },
      resolved: { addressesInUse: ['10.1.0.9'] },
    })
    const given = new Set<string>()
    for (let number = 0; number < 4096 - 8 - 256; number++) given.add(vlan.join(macOf(number)))
    expect(given.size).toBe(4096 - 8 - 256)
    for (const never of [
      '10.1.0.0',
      '10.1.0.1',
      '10.1.0.2',
      '10.1.0.3',
      '10.1.0.4',
      '10.1.0.9',
      '10.1.2.0',
      '10.1.3.7',
      '10.1.15.255',
    ]) {
      expect(given).not.toContain(never)
    }
    expect(given).toContain('10.1.0.255')
    expect(given).toContain('10.1.4.0')
    expect(vlan.send({ type: 'discover', mac }).result).toBe('pool-exhausted')
  })

  test.each([
    ['10.0.0.0/8', '255.0.0.0', '10.255.255.255'],
    ['10.1.16.0/20', '255.255.240.0', '10.1.31.255'],
    ['192.168.100.16/28', '255.255.255.240', '192.168.100.31'],
    ['192.168.100.16/30', '255.255.255.252', '192.168.100.19'],
  ])('any prefix: %s has mask %s', (cidr, mask, broadcast) => {
    const base = cidr.slice(0, cidr.lastIndexOf('.') + 1)
    const first = Number(/\.(\d+)\//.exec(cidr)?.[1])
    const at = (host: number) => `${base}${first + host}`
    const vlan = new Vlan({ cidr, serverIP: at(1), gateway: undefined, dnsServers: [at(1)], range: [at(2), at(2)] })
    const offer = vlan.send({ type: 'discover', mac, options: [[55, [1, 28]]] })
    expect([offer.reply?.yourAddress, offer.reply?.addresses(1), offer.reply?.addresses(28)]).toEqual([
      at(2),
      mask,
      broadcast,
    ])
  })

  test('case 32: of the two addresses of a /31 one is the server and one is lent; there is no broadcast (RFC 3021)', () => {
    const two = { cidr: '192.168.100.16/31', gateway: undefined, dnsServers: ['192.168.100.17'] }
    const vlan = new Vlan({ ...two, serverIP: '192.168.100.17', range: ['192.168.100.16', '192.168.100.17'] })
    const { reply } = vlan.send({ type: 'discover', mac, options: [[55, [1, 28]]] })
    expect([reply?.yourAddress, reply?.addresses(1)]).toEqual(['192.168.100.16', '255.255.255.254'])
    expect(reply?.order).not.toContain(28)
    expect(vlan.send({ type: 'discover', mac: other }).reply?.yourAddress).toBe('192.168.100.16')
    expect(vlan.join(mac)).toBe('192.168.100.16')
    expect(vlan.send({ type: 'discover', mac: other }).result).toBe('pool-exhausted')
  })
})

describe('a pool that is running out', () => {
  const two = { range: ['192.168.100.10', '192.168.100.11'] } as const

  test('the address whose lease ended longest ago is lent again', () => {
    const vlan = new Vlan(two)
    const first = vlan.join(mac)
    vlan.pass(10)
    vlan.join(other)
    vlan.pass(3601)
    expect(vlan.join(macOf(3))).toBe(first)
    expect(vlan.send({ type: 'discover', mac: other }).reply?.yourAddress).not.toBe(first)
  })

  test('nobody is offered an address in use, and the pool says it is full', () => {
    const vlan = new Vlan(two)
    vlan.join(mac)
    vlan.join(other)
    expect(vlan.send({ type: 'discover', mac: macOf(3) }).result).toBe('pool-exhausted')
    expect(vlan.bindings.counts()).toMatchObject({ poolSize: 2, poolUsed: 2 })
  })

  test('an offer that is not taken leaves the old client its memory', () => {
    const vlan = new Vlan({ range: ['192.168.100.10', '192.168.100.10'] })
    const address = vlan.join(mac)
    vlan.pass(3601)
    expect(vlan.send({ type: 'discover', mac: other }).reply?.yourAddress).toBe(address)
    vlan.pass(61)
    expect(vlan.send({ type: 'request', mac, options: [[50, address]] }).result).toBe('ack')
  })

  test('case 36: a hundred thousand invented clients exhaust neither pool nor memory', () => {
    const vlan = new Vlan({
      cidr: '10.0.0.0/8',
      serverIP: '10.0.0.2',
      gateway: '10.0.0.1',
      dnsServers: ['10.0.0.2'],
      range: ['10.0.1.0', '10.200.0.0'],
    })
    for (let number = 0; number < 100_000; number++) vlan.send({ type: 'discover', mac: macOf(number) })
    expect(vlan.bindings.counts()).toMatchObject({ active: 0, offered: 4096, expired: 0, declined: 0 })
  })

  test('case 36: in a small pool a real client gets its address amid the flood', () => {
    const vlan = new Vlan(two)
    for (let number = 0; number < 1000; number++) vlan.send({ type: 'discover', mac: macOf(number) })
    const offered = vlan.send({ type: 'discover', mac }).reply?.yourAddress ?? ''
    for (let number = 0; number < 1000; number++) vlan.send({ type: 'discover', mac: macOf(number) })
    const ack = vlan.send({
      type: 'request',
      mac,
      options: [
        [50, offered],
        [54, '192.168.100.2'],
      ],
    })
    expect([ack.result, ack.reply?.yourAddress]).toEqual(['ack', offered])
  })
})
