import { describe, expect, test } from 'vitest'
import { formatIpv4 } from '../../../core/net/ipv4.ts'
import { address } from '../testing/packets.ts'
import { Vlan } from '../testing/vlan.ts'
import { noteInUse } from './conflict.ts'

const mac = '02:00:00:00:00:01'
const squatter = '02:00:00:00:00:77'

function waitsFor(vlan: Vlan, client = mac): string | undefined {
  const { unlessUsed } = vlan.send({ type: 'discover', mac: client }).outcome
  return unlessUsed === undefined ? undefined : formatIpv4(unlessUsed)
}

describe('an offer waits until its address was looked at', () => {
  test('if no lease is on it, and again until somebody has looked', () => {
    const vlan = new Vlan()
    expect([waitsFor(vlan), waitsFor(vlan)]).toEqual(['192.168.100.10', '192.168.100.10'])
    vlan.bindings.noteUnused(address('192.168.100.10'))
    expect(waitsFor(vlan)).toBeUndefined()
  })

  test('not if the client has it, had it or has it reserved, nor with the probe off', () => {
    const vlan = new Vlan()
    const own = vlan.join(mac)
    expect(waitsFor(vlan)).toBeUndefined()
    vlan.send({ type: 'release', mac, clientAddress: own })
    expect(waitsFor(vlan)).toBeUndefined()
    expect(waitsFor(new Vlan({ spec: { reservations: [{ mac, address: '192.168.100.60' }] } }))).toBeUndefined()
    expect(waitsFor(new Vlan({ spec: { probe: { enabled: false } } }))).toBeUndefined()
  })

  test('if it was the last one of somebody else, whose time is over', () => {
    const vlan = new Vlan({ range: ['192.168.100.10', '192.168.100.10'] })
    vlan.send({ type: 'release', mac, clientAddress: vlan.join(mac) })
    expect(waitsFor(vlan, '02:00:00:00:00:02')).toBe('192.168.100.10')
  })

  test('and goes to another one if somebody is there, who has it for ten minutes', () => {
    const vlan = new Vlan({ range: ['192.168.100.10', '192.168.100.11'] })
    waitsFor(vlan)
    const { leaseChanges } = noteInUse(vlan.bindings, address('192.168.100.10'), squatter, vlan.nowMs)
    expect(leaseChanges).toMatchObject([{ mac: squatter, state: 'Declined' }])
    expect(waitsFor(vlan)).toBe('192.168.100.11')
    vlan.pass(599)
    vlan.bindings.sweep(vlan.nowMs)
    expect(vlan.bindings.declined()).toHaveLength(1)
    vlan.pass(1)
    vlan.bindings.sweep(vlan.nowMs)
    expect(vlan.bindings.declined()).toHaveLength(0)
  })
})

describe('evicted', () => {
  test('a lease outside the range: its client is told no', () => {
    const vlan = new Vlan()
    const own = vlan.join(mac)
    vlan.configure({ range: ['192.168.100.50', '192.168.100.60'] })
    expect(vlan.send({ type: 'request', mac, clientAddress: own }).result).toBe('ack')
    expect(vlan.bindings.evict(address(own), vlan.nowMs)).toMatchObject({ state: 'Released' })
    expect(vlan.send({ type: 'request', mac, clientAddress: own }).result).toBe('nak')
  })

  test('a lease inside the range: a client that is still there keeps it, as nobody else may have it meanwhile', () => {
    const vlan = new Vlan()
    const own = vlan.join(mac)
    vlan.bindings.evict(address(own), vlan.nowMs)
    expect(vlan.send({ type: 'request', mac, clientAddress: own }).result).toBe('ack')
  })

  test('an address that was set aside is free at once', () => {
    const vlan = new Vlan({ range: ['192.168.100.10', '192.168.100.10'] })
    noteInUse(vlan.bindings, address('192.168.100.10'), squatter, vlan.nowMs)
    vlan.bindings.evict(address('192.168.100.10'), vlan.nowMs)
    expect([vlan.bindings.leases(), vlan.join(mac)]).toEqual([[], '192.168.100.10'])
    expect(vlan.bindings.evict(address('192.168.100.99'), vlan.nowMs)).toBeUndefined()
  })
})
