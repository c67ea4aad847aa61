import { describe, expect, test } from 'vitest'
import { Vlan } from '../testing/vlan.ts'

const mac = '02:00:00:00:00:01'
const other = '02:00:00:00:00:02'
const us = '192.168.100.2'
const notAuthoritative = { spec: { authoritative: false } }

describe('SELECTING (RFC 2131 section 4.3.2)', () => {
  test('case 1: a request that names another server is not answered, and our offer is withdrawn', () => {
    const vlan = new Vlan()
    const offered = vlan.send({ type: 'discover', mac }).reply?.yourAddress ?? ''
    const request = vlan.send({
      type: 'request',
      mac,
      options: [
        [50, '192.168.100.55'],
        [54, '192.168.100.77'],
      ],
    })
    expect(request.result).toBe('for-another-server')
    expect(vlan.bindings.counts().offered).toBe(0)
    expect(vlan.send({ type: 'discover', mac: other, options: [[50, offered]] }).reply?.yourAddress).toBe(offered)
  })

  test('case 2: an address that was never offered is confirmed if it is free', () => {
    const ack = new Vlan().send({
      type: 'request',
      mac,
      options: [
        [54, us],
        [50, '192.168.100.42'],
      ],
    })
    expect([ack.result, ack.reply?.yourAddress]).toEqual(['ack', '192.168.100.42'])
  })

  test.each([
    ['another client has it', '192.168.100.10'],
    ['it is not in the pool', '192.168.100.200'],
    ['it is the server', us],
    ['it is the gateway', '192.168.100.1'],
    ['it is the resolver', '192.168.100.3'],
    ['it is the network', '192.168.100.0'],
    ['it is the broadcast address', '192.168.100.255'],
    ['it is on another network', '10.0.0.10'],
  ])('case 2: refused with a NAK, never another address, when %s', (_why, wanted) => {
    const vlan = new Vlan()
    expect(vlan.join(other)).toBe('192.168.100.10')
    const nak = vlan.send({
      type: 'request',
      mac,
      options: [
        [54, us],
        [50, wanted],
      ],
    })
    expect([nak.result, nak.reply?.yourAddress]).toEqual(['nak', '0.0.0.0'])
  })

  test('case 2: an address that is held for another client by an offer is refused', () => {
    const vlan = new Vlan()
    const offered = vlan.send({ type: 'discover', mac: other }).reply?.yourAddress ?? ''
    expect(
      vlan.send({
        type: 'request',
        mac,
        options: [
          [54, us],
          [50, offered],
        ],
      }).result,
    ).toBe('nak')
  })

  test('a client that holds a lease cannot take a second address', () => {
    const vlan = new Vlan()
    vlan.join(mac)
    expect(
      vlan.send({
        type: 'request',
        mac,
        options: [
          [54, us],
          [50, '192.168.100.42'],
        ],
      }).result,
    ).toBe('nak')
  })
})

describe('INIT-REBOOT (RFC 2131 section 4.3.2)', () => {
  test('case 3: the right address is confirmed', () => {
    const vlan = new Vlan()
    const address = vlan.join(mac)
    vlan.pass(600)
    const ack = vlan.send({ type: 'request', mac, options: [[50, address]] })
    expect([ack.result, ack.reply?.yourAddress, ack.reply?.number(51)]).toEqual(['ack', address, 3600])
  })

  test('case 4: a wrong address of this network is refused, authoritative or not', () => {
    const vlan = new Vlan(notAuthoritative)
    vlan.join(mac)
    expect(vlan.send({ type: 'request', mac, options: [[50, '192.168.100.42']] }).result).toBe('nak')
  })

  test.each([
    [true, 'nak'],
    [false, 'unknown-binding'],
  ])('case 5: an address of another network, authoritative %s: %s', (authoritative, result) => {
    const vlan = new Vlan({ spec: { authoritative } })
    expect(vlan.send({ type: 'request', mac, options: [[50, '10.9.9.9']] }).result).toBe(result)
  })

  test.each([
    [true, 'nak'],
    [false, 'unknown-binding'],
  ])('case 6: a client nobody knows, authoritative %s: %s', (authoritative, result) => {
    const vlan = new Vlan({ spec: { authoritative } })
    expect(vlan.send({ type: 'request', mac, options: [[50, '192.168.100.42']] }).result).toBe(result)
    expect(vlan.bindings.leases()).toEqual([])
  })

  test('case 6: after the NAK the client keeps its address by asking for it in the DISCOVER', () => {
    const vlan = new Vlan()
    vlan.send({ type: 'request', mac, options: [[50, '192.168.100.42']] })
    expect(vlan.join(mac, [[50, '192.168.100.42']])).toBe('192.168.100.42')
  })
})

describe('RENEWING and REBINDING (RFC 2131 section 4.3.2)', () => {
  test('case 7: the lease is extended and the answer goes to the client alone', () => {
    const vlan = new Vlan()
    const address = vlan.join(mac)
    vlan.pass(1800)
    const ack = vlan.send({ type: 'request', mac, clientAddress: address })
    expect([ack.result, ack.to, ack.reply?.clientAddress, ack.reply?.yourAddress]).toEqual([
      'ack',
      `${address} client`,
      address,
      address,
    ])
    expect(vlan.bindings.leaseOf(mac)?.expiresMs).toBe(vlan.nowMs + 3600_000)
  })

  test('case 7: an address that is not the one lent is refused', () => {
    const vlan = new Vlan()
    vlan.join(mac)
    expect(vlan.send({ type: 'request', mac, clientAddress: '192.168.100.42' }).result).toBe('nak')
  })

  test('case 8: a client nobody knows is not answered, even by an authoritative server', () => {
    expect(new Vlan().send({ type: 'request', mac, clientAddress: '192.168.100.42' }).result).toBe('unknown-binding')
  })

  test.each([
    [true, 'nak'],
    [false, 'unknown-binding'],
  ])('case 8: an address of another network, authoritative %s: %s', (authoritative, result) => {
    const vlan = new Vlan({ spec: { authoritative } })
    const answer = vlan.send({ type: 'request', mac, clientAddress: '10.9.9.9' })
    expect(answer.result).toBe(result)
    if (authoritative) expect(answer.to).toBe('everybody client')
  })

  test('case 8: an address that another client holds by now is refused', () => {
    const vlan = new Vlan()
    const address = vlan.join(other)
    expect(vlan.send({ type: 'request', mac, clientAddress: address }).result).toBe('nak')
  })
})

describe('other requests', () => {
  test('case 9: neither option 50 nor ciaddr: the lease in force is meant', () => {
    const vlan = new Vlan()
    const address = vlan.join(mac)
    const ack = vlan.send({ type: 'request', mac })
    expect([ack.result, ack.reply?.yourAddress]).toEqual(['ack', address])
    expect(vlan.send({ type: 'request', mac: other }).result).toBe('nak')
  })

  test('case 10: an expired lease is confirmed again while the address is free', () => {
    const vlan = new Vlan()
    const address = vlan.join(mac)
    vlan.pass(3601)
    expect(vlan.send({ type: 'request', mac, options: [[50, address]] }).result).toBe('ack')
    vlan.pass(3601)
    expect(vlan.send({ type: 'request', mac, clientAddress: address }).result).toBe('ack')
  })

  test('case 10: an expired lease whose address was lent on is refused', () => {
    const vlan = new Vlan({ range: ['192.168.100.10', '192.168.100.10'] })
    const address = vlan.join(mac)
    vlan.pass(3601)
    expect(vlan.join(other)).toBe(address)
    expect(vlan.send({ type: 'request', mac, options: [[50, address]] }).result).toBe('nak')
    expect(vlan.send({ type: 'request', mac, clientAddress: address }).result).toBe('nak')
  })

  test('case 29: the client may wish for a shorter lease, not for a longer or a uselessly short one', () => {
    const leaseFor = (wish: number) => {
      const vlan = new Vlan()
      const ack = vlan.send({
        type: 'request',
        mac,
        options: [
          [54, us],
          [50, '192.168.100.42'],
          [51, wish],
        ],
      })
      return [51, 58, 59].map((code) => ack.reply?.number(code))
    }
    expect(leaseFor(600)).toEqual([600, 300, 525])
    expect(leaseFor(86_400)).toEqual([3600, 1800, 3150])
    expect(leaseFor(0xffffffff)).toEqual([3600, 1800, 3150])
    expect(leaseFor(1)).toEqual([60, 30, 52])
  })

  test('case 36: a request repeated at once is answered from the lease as it stands, without another write', () => {
    const vlan = new Vlan()
    const address = vlan.join(mac)
    vlan.nowMs += 300
    const again = vlan.send({
      type: 'request',
      mac,
      options: [
        [50, address],
        [54, us],
      ],
    })
    expect([again.result, again.reply?.number(51), again.outcome.leaseChanges.length]).toEqual(['ack', 3599, 0])
    expect(again.outcome.waitsForStore).toBe(true)
  })
})
