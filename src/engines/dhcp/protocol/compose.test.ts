import { describe, expect, test } from 'vitest'
import { Vlan } from '../testing/vlan.ts'

const mac = '02:00:00:00:00:01'
const us = '192.168.100.2'
const identifier = [1, 2, 0, 0, 0, 0, 1]
const everyOption = { clientOptions: { mtu: 1400, domainName: 'c1.example.com' } }

describe('NAK (RFC 2131 table 3)', () => {
  test('case 16: has options 53, 54, 56 and 61 only, no addresses, and goes to everybody', () => {
    const vlan = new Vlan()
    const nak = vlan.send({
      type: 'request',
      mac,
      clientAddress: '10.9.9.9',
      options: [
        [61, identifier],
        [82, [1, 1, 7]],
      ],
    })
    expect(nak.reply?.order).toEqual([53, 54, 56, 61])
    expect([nak.reply?.clientAddress, nak.reply?.yourAddress, nak.reply?.serverAddress]).toEqual([
      '0.0.0.0',
      '0.0.0.0',
      '0.0.0.0',
    ])
    expect([nak.to, nak.reply?.options.get(56)?.toString()]).toEqual(['everybody client', 'wrong network'])
  })

  test('case 16: through a relay it has the broadcast bit set and goes to the relay', () => {
    const nak = new Vlan().send({
      type: 'request',
      mac,
      relayAddress: '192.168.100.5',
      options: [
        [50, '10.9.9.9'],
        [82, [1, 1, 7]],
      ],
    })
    expect([nak.reply?.flags, nak.to, nak.reply?.order]).toEqual([0x8000, '192.168.100.5 server', [53, 54, 56, 82]])
  })
})

describe('where replies go, and their header', () => {
  test('case 17: a client without an address is answered by broadcast, whatever its flag', () => {
    expect(new Vlan().send({ type: 'discover', mac }).to).toBe('everybody client')
    expect(new Vlan().send({ type: 'discover', mac, flags: 0x8000 }).to).toBe('everybody client')
  })

  test('case 17: never to a client address outside the network', () => {
    expect(new Vlan().send({ type: 'discover', mac, clientAddress: '8.8.8.8' }).to).toBe('everybody client')
  })

  test('case 18: xid, flags, giaddr and chaddr are copied, secs and hops are 0, ciaddr only in the ACK', () => {
    const vlan = new Vlan()
    const header = { mac, transactionId: 0xdeadbeef, flags: 0x8000, relayAddress: '192.168.100.5' }
    const offer = vlan.send({ type: 'discover', ...header }).reply
    expect(offer).toMatchObject({
      op: 2,
      hops: 0,
      secs: 0,
      transactionId: 0xdeadbeef,
      flags: 0x8000,
      clientAddress: '0.0.0.0',
      relayAddress: '192.168.100.5',
      hardwareAddress: '020000000001',
    })
  })

  test('case 20: option 61 is echoed in every reply (RFC 6842), and the lease is that of the MAC', () => {
    const vlan = new Vlan()
    const first = vlan.join(mac, [[61, identifier]])
    expect(vlan.join(mac, [[61, [255, 1, 2, 3]]])).toBe(first)
    const offer = vlan.send({ type: 'discover', mac, options: [[61, identifier]] }).reply
    expect([...(offer?.options.get(61) ?? [])]).toEqual(identifier)
    expect(vlan.send({ type: 'discover', mac }).reply?.order).not.toContain(61)
  })

  test('case 20: a client without a hardware address is known by its identifier (RFC 4390)', () => {
    const vlan = new Vlan()
    const noMac = '00:00:00:00:00:00'
    const first = vlan.join(noMac, [[61, [0, 1]]])
    expect(vlan.join(noMac, [[61, [0, 2]]])).not.toBe(first)
    expect(vlan.join(noMac, [[61, [0, 1]]])).toBe(first)
  })
})

describe('relay agents', () => {
  const relayed = { type: 'discover', mac, relayAddress: '192.168.100.5' } as const
  const subOption = (code: number, ...value: number[]) => [code, value.length, ...value]

  test('case 17, 19: the reply goes to the relay, option 82 comes back unchanged as the last option (RFC 3046)', () => {
    const information = [...subOption(1, 9, 9), ...subOption(2, 8)]
    const offer = new Vlan().send({
      ...relayed,
      options: [
        [82, information],
        [61, identifier],
      ],
    })
    expect([offer.to, offer.reply?.order.at(-1)]).toEqual(['192.168.100.5 server', 82])
    expect([...(offer.reply?.options.get(82) ?? [])]).toEqual(information)
  })

  test('case 19: option 82 without a relay is not echoed', () => {
    expect(new Vlan().send({ type: 'discover', mac, options: [[82, subOption(1, 9)]] }).reply?.order).not.toContain(82)
  })

  test('case 19: a relay on another network, or one that selects another link, is not answered (RFC 3527)', () => {
    expect(new Vlan().send({ ...relayed, relayAddress: '10.0.0.5' }).result).toBe('foreign-network')
    expect(new Vlan().send({ ...relayed, options: [[82, subOption(5, 10, 0, 0, 0)]] }).result).toBe('foreign-network')
    expect(new Vlan().send({ ...relayed, options: [[82, subOption(5, 192, 168, 100, 0)]] }).result).toBe('offer')
  })

  test('case 19: a relay may stand in for the server (RFC 5107)', () => {
    const vlan = new Vlan()
    const information = [82, subOption(11, 192, 168, 100, 5)] as const
    const offer = vlan.send({ ...relayed, options: [information] })
    expect(offer.reply?.addresses(54)).toBe('192.168.100.5')
    const wanted = offer.reply?.yourAddress ?? ''
    const ack = vlan.send({ ...relayed, type: 'request', options: [[50, wanted], [54, '192.168.100.5'], information] })
    expect(ack.result).toBe('ack')
  })

  test('case 19: a relay may listen on the port it sends from (RFC 8357)', () => {
    expect(new Vlan().send({ ...relayed, options: [[82, subOption(19)]] }).to).toBe('192.168.100.5 source')
  })
})

describe('options of a reply', () => {
  const all = [1, 3, 6, 12, 15, 26, 28]

  test('case 28: the client is given what it asked for in its order, the mask ahead of the router (RFC 2132 section 3.3, 9.8)', () => {
    const vlan = new Vlan({ spec: { ...everyOption, reservations: [{ mac, hostname: 'w1' }] } })
    const offer = vlan.send({ type: 'discover', mac, options: [[55, [28, 3, 26, 12, 1, 28, 99]]] }).reply
    expect(offer?.order).toEqual([53, 54, 51, 58, 59, 28, 1, 3, 26, 12, 6, 15])
  })

  test('case 28: a client that asks for nothing gets everything', () => {
    const vlan = new Vlan({ spec: { ...everyOption, reservations: [{ mac, hostname: 'w1' }] } })
    const offer = vlan.send({ type: 'discover', mac }).reply
    expect(offer?.order.slice(5).toSorted((a, b) => a - b)).toEqual(all)
    expect([1, 3, 6, 28].map((code) => offer?.addresses(code))).toEqual([
      '255.255.255.0',
      '192.168.100.1',
      '192.168.100.3',
      '192.168.100.255',
    ])
    expect([offer?.options.get(12)?.toString(), offer?.options.get(15)?.toString(), offer?.number(26)]).toEqual([
      'w1',
      'c1.example.com',
      1400,
    ])
    expect([offer?.addresses(54), offer?.number(51), offer?.number(58), offer?.number(59)]).toEqual([
      us,
      3600,
      1800,
      3150,
    ])
  })

  test('no gateway, no option 3; every resolver is told', () => {
    const vlan = new Vlan({ gateway: undefined, dnsServers: ['192.168.100.3', '192.168.100.4'] })
    const offer = vlan.send({ type: 'discover', mac }).reply
    expect([offer?.addresses(3), offer?.addresses(6)]).toEqual([undefined, '192.168.100.3,192.168.100.4'])
  })

  test('a changed server reaches its clients when they renew', () => {
    const vlan = new Vlan()
    const lent = vlan.join(mac)
    vlan.configure({ dnsServers: ['192.168.100.9'], leaseTime: '2h', spec: everyOption })
    const ack = vlan.send({ type: 'request', mac, clientAddress: lent }).reply
    expect([ack?.addresses(6), ack?.number(51), ack?.options.get(15)?.toString()]).toEqual([
      '192.168.100.9',
      7200,
      'c1.example.com',
    ])
  })

  test('case 29: T1 < T2 < lease, or neither is sent (RFC 2131 section 4.4.5)', () => {
    for (const [leaseTime, expected] of [
      ['3s', [3, 1, 2]],
      ['2s', [2, undefined, undefined]],
    ] as const) {
      const offer = new Vlan({ leaseTime }).send({ type: 'discover', mac }).reply
      expect([51, 58, 59].map((code) => offer?.number(code))).toEqual(expected)
    }
  })

  test('case 23: what does not fit is left out, but never mask, router, resolver or lease (RFC 2132 section 9.10)', () => {
    const spec = { clientOptions: { domainName: `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.example.com` } }
    const long: [number, number[]] = [61, Array.from({ length: 150 }, () => 7)]
    const vlan = new Vlan({ spec })
    const small = vlan.send({ type: 'discover', mac, options: [[57, [0, 100]], long] }).reply
    expect(small?.length).toBeLessThanOrEqual(576 - 28)
    for (const code of [1, 3, 6, 51, 53, 54]) expect(small?.order).toContain(code)
    expect(small?.order).not.toContain(15)
    const large = vlan.send({ type: 'discover', mac, options: [[57, [5, 220]], long] }).reply
    expect(large?.order).toContain(15)
  })

  test('case 24: a reply has 300 bytes at least (RFC 1542 section 2.1)', () => {
    expect(new Vlan().send({ type: 'discover', mac, options: [[55, [1]]] }).reply?.length).toBe(300)
  })

  test('case 27: the host name is ours, whatever the client says; option 81 is answered with it (RFC 4702 section 4)', () => {
    const vlan = new Vlan({ spec: everyOption, resolved: { clients: [{ mac: mac.toUpperCase(), name: 'w1' }] } })
    const say = (...bytes: number[]) =>
      vlan.send({
        type: 'discover',
        mac,
        options: [
          [12, [...Buffer.from('api')]],
          [81, [...bytes, ...Buffer.from('api')]],
          [55, [12, 81]],
        ],
      }).reply
    expect(say(1, 0, 0)?.options.get(12)?.toString()).toBe('w1')
    expect(say(1, 0, 0)?.options.get(81)?.toString('latin1')).toBe('\x01\xff\xffw1.c1.example.com')
    expect([...(say(0, 0, 0)?.options.get(81)?.subarray(0, 3) ?? [])]).toEqual([3, 255, 255])
    expect(say(5, 0, 0)?.options.get(81)?.toString('latin1')).toBe('\x05\xff\xff\x02w1\x02c1\x07example\x03com\x00')
  })

  test('case 27: a client without a name here is given none', () => {
    const offer = new Vlan().send({
      type: 'discover',
      mac,
      options: [
        [12, [...Buffer.from('api')]],
        [81, [1, 0, 0, 97]],
        [55, [12, 81]],
      ],
    })
    expect(offer.reply?.order).toEqual([53, 54, 51, 58, 59, 1, 3, 6])
  })
})
