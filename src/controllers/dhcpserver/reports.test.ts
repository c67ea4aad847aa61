import { expect, test } from 'vitest'
import { apiVersion } from '../../api/meta.ts'
import type { EventRecorder } from '../../runtime/events/recorder.ts'
import { FakeClock } from '../../runtime/time/fake-clock.ts'
import type { OwnObject } from '../shared/kinds.ts'
import { DhcpReports } from './reports.ts'

function scene() {
  const notes: string[] = []
  const clock = new FakeClock()
  const record: EventRecorder['record'] = ({ reason, note }) => notes.push(`${reason}: ${note}`)
  const reports = new DhcpReports({ clock, events: { record } as EventRecorder })
  const at = (agoMs: number) => new Date(clock.now() - agoMs).toISOString()
  const server = (status: NonNullable<OwnObject['status']>): OwnObject => ({
    apiVersion,
    kind: 'DHCPServer',
    metadata: { name: 'c1-dhcp', namespace: 'clusters', uid: 'u1' },
    status,
  })
  const taken = (): string[] => notes.splice(0)
  return { clock, reports, at, server, taken }
}

const mac = '02:00:00:00:00:01'

test('a refusal is an event when it happens and when it happens again, not whenever it is looked at', () => {
  const { reports, at, server, taken } = scene()
  const refused = (last: string, count: number) => server({ refusals: [{ mac, reason: 'UnknownClient', count, last }] })
  reports.tell(refused(at(1000), 1))
  reports.tell(refused(at(1000), 1))
  expect(taken()).toEqual([`UnknownClient: the client ${mac} got no address (UnknownClient)`])
  reports.tell(refused(at(0), 2))
  expect(taken()).toHaveLength(1)
})

test('what a new manager finds from long ago is no news', () => {
  const { reports, at, server, taken } = scene()
  reports.tell(server({ refusals: [{ mac, reason: 'PoolExhausted', count: 9, last: at(3_600_000) }] }))
  expect(taken()).toEqual([])
})

test('a trouble is told when it begins, and again when it comes back', () => {
  const { reports, at, server, taken } = scene()
  const condition = (status: 'True' | 'False', lastTransitionTime: string) =>
    server({
      conditions: [{ type: 'RogueServerSeen', status, reason: 'x', message: 'another server', lastTransitionTime }],
    })
  const first = at(30_000)
  reports.tell(condition('True', first))
  reports.tell(condition('True', first))
  reports.tell(condition('False', at(20_000)))
  reports.tell(condition('True', at(10_000)))
  expect(taken()).toEqual(['RogueServerSeen: another server', 'RogueServerSeen: another server'])
})

test('rubbish in a status is passed over, and what is gone is forgotten', () => {
  const { reports, at, server, taken } = scene()
  reports.tell(server({ refusals: ['x', null, { mac: 5 }] }))
  expect(taken()).toEqual([])
  const live = server({ refusals: [{ mac, reason: 'UnknownClient', count: 1, last: at(0) }] })
  reports.tell(live)
  reports.forget(live)
  reports.tell(live)
  expect(taken()).toHaveLength(2)
})
