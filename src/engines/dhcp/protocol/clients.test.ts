import { describe, expect, test } from 'vitest'
import { Vlan } from '../testing/vlan.ts'

const mac = '02:00:00:00:00:01'
const other = '02:00:00:00:00:02'
const us = '192.168.100.2'

function reserved(...reservations: { mac?: string; vmName?: string; address?: string; hostname?: string }[]) {
  return { spec: { reservations } }
}

describe('reservations', () => {
  test.each(['192.168.100.50', '192.168.100.200'])('%s is given to its client and to nobody else', (address) => {
    const vlan = new Vlan(reserved({ mac: mac.toUpperCase().replaceAll(':', '-'), address, hostname: 'w1' }))
    expect(vlan.join(other, [[50, address]])).not.toBe(address)
    expect(
      vlan.send({
        type: 'request',
        mac: other,
        options: [
          [54, us],
          [50, address],
        ],
      }).result,
    ).toBe('nak')
    expect(vlan.join(mac)).toBe(address)
    expect(vlan.bindings.leaseOf(mac)).toMatchObject({ hostname: 'w1' })
  })

  test('by the name of a virtual machine, once its MAC is known', () => {
    const address = '192.168.100.50'
    const text = reserved({ vmName: 'w1', address })
    const vlan = new Vlan(text)
    expect(vlan.join(mac, [[50, address]])).not.toBe(address)
    vlan.configure({ ...text, resolved: { clients: [{ mac: other, name: 'w1', cluster: 'c1' }] } })
    expect(vlan.join(other)).toBe(address)
    expect(vlan.bindings.leaseOf(other)).toMatchObject({ hostname: 'w1', vmName: 'w1', cluster: 'c1' })
  })

  test('a second interface of the machine gets an address of the pool', () => {
    const clients = [
      { mac, name: 'w1' },
      { mac: other, name: 'w1' },
    ]
    const vlan = new Vlan({ ...reserved({ vmName: 'w1', address: '192.168.100.50' }), resolved: { clients } })
    expect([vlan.join(mac), vlan.join(other)]).toEqual(['192.168.100.50', '192.168.100.10'])
    expect(vlan.send({ type: 'request', mac: other, clientAddress: '192.168.100.10' }).result).toBe('ack')
  })

  test('a new reservation does not move a running machine; the next boot does', () => {
    const vlan = new Vlan()
    const before = vlan.join(mac)
    vlan.configure(reserved({ mac, address: '192.168.100.50' }))
    expect(vlan.send({ type: 'request', mac, clientAddress: before }).result).toBe('ack')
    expect(vlan.send({ type: 'request', mac, options: [[50, before]] }).result).toBe('nak')
    expect(vlan.join(mac)).toBe('192.168.100.50')
    expect(vlan.bindings.leases()).toHaveLength(1)
  })

  test('an address in use that is reserved for another is taken back at the next renewal', () => {
    const vlan = new Vlan()
    const address = vlan.join(mac)
    vlan.configure(reserved({ mac: other, address }))
    expect(vlan.join(other)).not.toBe(address)
    expect(vlan.send({ type: 'request', mac, clientAddress: address }).result).toBe('nak')
    vlan.pass(3601)
    expect(vlan.join(mac)).not.toBe(address)
    expect(vlan.join(other)).toBe(address)
  })

  test('the lease of a reservation is known even if the journal is lost', () => {
    const vlan = new Vlan(reserved({ mac, address: '192.168.100.50' }))
    expect(vlan.send({ type: 'request', mac, clientAddress: '192.168.100.50' }).result).toBe('ack')
    expect(vlan.send({ type: 'request', mac, options: [[50, '192.168.100.50']] }).result).toBe('ack')
    expect(vlan.send({ type: 'request', mac, options: [[50, '192.168.100.51']] }).result).toBe('nak')
  })

  test('never the address of the server, though somebody reserves it', () => {
    const vlan = new Vlan(reserved({ mac, address: us }))
    expect(vlan.join(mac)).toBe('192.168.100.10')
  })
})

describe('clientPolicy Known', () => {
  const known = {
    spec: { clientPolicy: 'Known' as const, reservations: [{ mac: other }] },
    resolved: { clients: [{ mac: '02-00-00-00-00-0A', name: 'w1' }] },
  }

  test('serves virtual machines and reservations, whatever the spelling of their MAC', () => {
    const vlan = new Vlan(known)
    expect(vlan.join('02:00:00:00:00:0a')).toBe('192.168.100.10')
    expect(vlan.join(other)).toBe('192.168.100.11')
    expect(vlan.bindings.leaseOf('02:00:00:00:00:0a')?.hostname).toBe('w1')
  })

  test('has no word for anybody else', () => {
    const vlan = new Vlan(known)
    const requests = [
      { type: 'discover', mac },
      {
        type: 'request',
        mac,
        options: [
          [54, us],
          [50, '192.168.100.42'],
        ],
      },
      { type: 'request', mac, options: [[50, '10.0.0.1']] },
      { type: 'request', mac, clientAddress: '192.168.100.42' },
    ] as const
    expect(requests.map((request) => vlan.send(request).result)).toEqual(
      Array.from({ length: 4 }, () => 'unknown-client'),
    )
    expect(vlan.bindings.leases()).toEqual([])
  })
})

describe('case 35: a changed range', () => {
  const shrunk = { range: ['192.168.100.50', '192.168.100.60'] } as const

  test('a lease outside the new range goes on while it lasts, and is not remembered afterwards', () => {
    const vlan = new Vlan()
    const address = vlan.join(mac)
    vlan.configure(shrunk)
    expect(vlan.send({ type: 'request', mac, clientAddress: address }).result).toBe('ack')
    expect(vlan.send({ type: 'discover', mac }).reply?.yourAddress).toBe(address)
    vlan.pass(3601)
    expect(vlan.send({ type: 'request', mac, clientAddress: address }).result).toBe('nak')
    expect(vlan.join(mac)).toBe('192.168.100.50')
  })

  test('nobody new gets it', () => {
    const vlan = new Vlan()
    const address = vlan.join(mac)
    vlan.send({ type: 'release', mac, clientAddress: address })
    vlan.configure(shrunk)
    expect(
      vlan.send({
        type: 'request',
        mac: other,
        options: [
          [54, us],
          [50, address],
        ],
      }).result,
    ).toBe('nak')
  })

  test('a lease outside the network is refused', () => {
    const vlan = new Vlan()
    const address = vlan.join(mac)
    vlan.configure({
      cidr: '10.0.0.0/24',
      serverIP: '10.0.0.2',
      gateway: '10.0.0.1',
      range: ['10.0.0.10', '10.0.0.20'],
    })
    expect(vlan.send({ type: 'request', mac, clientAddress: address }).result).toBe('nak')
    expect(vlan.join(mac)).toBe('10.0.0.10')
  })

  test('a lease on what is now the gateway is refused', () => {
    const vlan = new Vlan()
    const address = vlan.join(mac)
    vlan.configure({ gateway: address })
    expect(vlan.send({ type: 'request', mac, clientAddress: address }).result).toBe('nak')
  })

  test('an offer that is out of the new range is forgotten, one inside it is kept', () => {
    const vlan = new Vlan()
    vlan.send({ type: 'discover', mac })
    vlan.send({ type: 'discover', mac: other, options: [[50, '192.168.100.55']] })
    vlan.configure(shrunk)
    expect(vlan.send({ type: 'discover', mac }).reply?.yourAddress).toBe('192.168.100.50')
    expect(vlan.send({ type: 'discover', mac: other }).reply?.yourAddress).toBe('192.168.100.55')
  })
})

test('case 33: when the clock is set, leases last as long as they would have', () => {
  const vlan = new Vlan()
  const address = vlan.join(mac)
  const tenYears = 10 * 365 * 86_400
  vlan.pass(tenYears)
  vlan.bindings.shiftTimes(tenYears * 1000)
  expect(vlan.send({ type: 'discover', mac }).reply?.yourAddress).toBe(address)
  expect(vlan.bindings.leaseOf(mac)).toMatchObject({ state: 'Active', expiresMs: vlan.nowMs + 3600_000 })
})
