import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatIpv4 } from '../../../core/net/ipv4.ts'
import { Vlan } from '../testing/vlan.ts'
import { LeaseTable } from './lease-table.ts'

const macs = Array.from({ length: 12 }, (_, index) => `02:00:00:00:00:${(index + 16).toString(16)}`)
const us = '192.168.100.2'
const small = { range: ['192.168.100.10', '192.168.100.15'] } as const

type Step = readonly [what: 'join' | 'discover' | 'renew' | 'release' | 'decline' | 'wait' | 'shrink', who: number]

/** What a client believes to have. */
interface Belief {
  readonly address: string
  readonly untilMs: number
}

test('however clients come and go, no address is ever in the hands of two, and the journal tells the same story', () => {
  const steps = fc.array(
    fc.tuple(
      fc.constantFrom<Step[0]>('join', 'join', 'discover', 'renew', 'release', 'decline', 'wait', 'shrink'),
      fc.nat(macs.length - 1),
    ),
    { maxLength: 120 },
  )
  fc.assert(
    fc.property(steps, (list) => {
      const vlan = new Vlan(small)
      const journal = new LeaseTable()
      const beliefs = new Map<string, Belief>()
      const send = (...packet: Parameters<Vlan['send']>) => {
        const answer = vlan.send(...packet)
        for (const change of answer.outcome.leaseChanges) journal.put(change)
        return answer
      }
      const believe = (mac: string, { reply }: ReturnType<typeof send>) => {
        if (reply?.type !== 'ack') return
        beliefs.set(mac, { address: reply.yourAddress, untilMs: vlan.nowMs + (reply.number(51) ?? 0) * 1000 })
      }
      for (const [what, who] of list) {
        const mac = macs[who] ?? ''
        const held = beliefs.get(mac)
        if (what === 'wait') vlan.pass(who * 400)
        if (what === 'shrink') vlan.configure(who % 2 === 0 ? small : { range: ['192.168.100.12', '192.168.100.15'] })
        if (what === 'join' || what === 'discover') {
          const offered = send({ type: 'discover', mac }).reply?.yourAddress
          if (what === 'join' && offered)
            believe(
              mac,
              send({
                type: 'request',
                mac,
                options: [
                  [50, offered],
                  [54, us],
                ],
              }),
            )
        }
        if (held && held.untilMs > vlan.nowMs) {
          if (what === 'renew') believe(mac, send({ type: 'request', mac, clientAddress: held.address }))
          if (what === 'release') send({ type: 'release', mac, clientAddress: held.address })
          if (what === 'decline')
            send({
              type: 'decline',
              mac,
              options: [
                [50, held.address],
                [54, us],
              ],
            })
          if (what === 'release' || what === 'decline') beliefs.delete(mac)
        }
        const inUse = [...beliefs.values()]
          .filter((belief) => belief.untilMs > vlan.nowMs)
          .map((belief) => belief.address)
        expect(new Set(inUse).size).toBe(inUse.length)
      }
      vlan.bindings.sweep(vlan.nowMs)
      journal.sweep(vlan.nowMs)
      const active = (leases: ReturnType<LeaseTable['all']>) =>
        leases
          .filter((lease) => lease.state === 'Active')
          .map((lease) => `${formatIpv4(lease.address)} ${lease.mac}`)
          .sort()
      expect(active(journal.all())).toEqual(active(vlan.bindings.leases()))
    }),
    { numRuns: 300 },
  )
})

test('a pool of sixteen million addresses', () => {
  const vlan = new Vlan({
    cidr: '10.0.0.0/8',
    serverIP: '10.0.0.2',
    gateway: '10.0.0.1',
    dnsServers: ['10.0.0.2'],
    range: ['10.0.0.0', '10.255.255.255'],
  })
  expect(vlan.bindings.counts().poolSize).toBe(2 ** 24 - 4)
  expect(vlan.join('02:00:00:00:00:01')).toBe('10.0.0.3')
  expect(vlan.join('02:00:00:00:00:02')).toBe('10.0.0.4')
})
