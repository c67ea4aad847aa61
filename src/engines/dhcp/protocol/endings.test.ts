import { describe, expect, test } from 'vitest'
import { Vlan } from '../testing/vlan.ts'

const mac = '02:00:00:00:00:01'
const other = '02:00:00:00:00:02'
const us = '192.168.100.2'
const one = { range: ['192.168.100.10', '192.168.100.10'] } as const

describe('DECLINE (RFC 2131 section 4.3.3)', () => {
  test('case 13: the address is set aside, nothing is answered, and the client gets another', () => {
    const vlan = new Vlan()
    const address = vlan.join(mac)
    const decline = vlan.send({
      type: 'decline',
      mac,
      options: [
        [50, address],
        [54, us],
      ],
    })
    expect([decline.result, decline.outcome.leaseChanges[0]?.state]).toEqual(['noted', 'Declined'])
    expect(vlan.join(mac)).not.toBe(address)
    expect(vlan.send({ type: 'discover', mac: other, options: [[50, address]] }).reply?.yourAddress).not.toBe(address)
    expect(
      vlan.send({
        type: 'request',
        mac: other,
        options: [
          [50, address],
          [54, us],
        ],
      }).result,
    ).toBe('nak')
    expect(vlan.bindings.counts().declined).toBe(1)
  })

  test('case 13: only the holder can decline', () => {
    const vlan = new Vlan()
    const address = vlan.join(mac)
    expect(
      vlan.send({
        type: 'decline',
        mac: other,
        options: [
          [50, address],
          [54, us],
        ],
      }).result,
    ).toBe('not-the-holder')
    expect(
      vlan.send({
        type: 'decline',
        mac,
        options: [
          [50, '192.168.100.42'],
          [54, us],
        ],
      }).result,
    ).toBe('not-the-holder')
    expect(
      vlan.send({
        type: 'decline',
        mac,
        options: [
          [50, address],
          [54, '192.168.100.77'],
        ],
      }).result,
    ).toBe('for-another-server')
    expect(vlan.bindings.counts()).toMatchObject({ active: 1, declined: 0 })
  })

  test('case 13: after a day the address is tried again', () => {
    const vlan = new Vlan(one)
    const address = vlan.join(mac)
    vlan.send({
      type: 'decline',
      mac,
      options: [
        [50, address],
        [54, us],
      ],
    })
    expect(vlan.send({ type: 'discover', mac }).result).toBe('pool-exhausted')
    vlan.pass(24 * 3600)
    expect(vlan.join(mac)).toBe(address)
  })

  test('declines cannot eat the pool up: with nothing else left, another client gets the one set aside longest', () => {
    const vlan = new Vlan(one)
    const address = vlan.join(mac)
    vlan.send({
      type: 'decline',
      mac,
      options: [
        [50, address],
        [54, us],
      ],
    })
    expect(vlan.join(other)).toBe(address)
  })
})

describe('RELEASE (RFC 2131 section 4.3.4)', () => {
  test('case 14: the lease ends, nothing is answered, and the address is remembered', () => {
    const vlan = new Vlan()
    const address = vlan.join(mac)
    const release = vlan.send({ type: 'release', mac, clientAddress: address, options: [[54, us]] })
    expect([release.result, release.outcome.leaseChanges[0]?.state]).toEqual(['noted', 'Released'])
    expect(vlan.bindings.counts()).toMatchObject({ active: 0, expired: 1, poolUsed: 0 })
    expect(vlan.join(other)).not.toBe(address)
    expect(vlan.join(mac)).toBe(address)
  })

  test('case 14: option 54 may be missing', () => {
    const vlan = new Vlan()
    const address = vlan.join(mac)
    expect(vlan.send({ type: 'release', mac, clientAddress: address }).result).toBe('noted')
  })

  test('case 14: nobody releases what is not his', () => {
    const vlan = new Vlan()
    const address = vlan.join(mac)
    expect(vlan.send({ type: 'release', mac: other, clientAddress: address }).result).toBe('not-the-holder')
    expect(vlan.send({ type: 'release', mac, clientAddress: '192.168.100.42' }).result).toBe('not-the-holder')
    expect(vlan.send({ type: 'release', mac, clientAddress: address, options: [[54, '192.168.100.77']] }).result).toBe(
      'for-another-server',
    )
    expect(vlan.bindings.counts().active).toBe(1)
  })
})

describe('INFORM (RFC 2131 section 4.3.5)', () => {
  test('case 15: configuration without an address or its end, sent to the client, no lease touched', () => {
    const vlan = new Vlan({ spec: { clientPolicy: 'Known' } })
    const ack = vlan.send({ type: 'inform', mac, clientAddress: '192.168.100.200' })
    expect([ack.result, ack.to, ack.reply?.yourAddress, ack.reply?.clientAddress]).toEqual([
      'ack',
      '192.168.100.200 client',
      '0.0.0.0',
      '192.168.100.200',
    ])
    for (const code of [51, 58, 59]) expect(ack.reply?.order).not.toContain(code)
    expect(ack.reply?.addresses(6)).toBe('192.168.100.3')
    expect([ack.outcome.waitsForStore, vlan.bindings.leases()]).toEqual([false, []])
  })

  test('case 15: through a relay it goes straight to the client, which no relay would find without yiaddr', () => {
    const inform = { type: 'inform', mac, clientAddress: '192.168.100.200', relayAddress: '192.168.100.250' } as const
    expect(new Vlan().send(inform).to).toBe('192.168.100.200 client')
  })

  test('case 15: nothing is sent to an address outside the network, where it would leave by another interface', () => {
    expect(new Vlan().send({ type: 'inform', mac, clientAddress: '8.8.8.8' }).result).toBe('foreign-network')
    expect(new Vlan().send({ type: 'inform', mac }).result).toBe('no-client-address')
  })
})
