import { expect, test } from 'vitest'
import type { Trouble } from './outcome.ts'
import { type AppsIngressStatus, appsStatus, lookAgainMs } from './status.ts'

const place = { hostedCluster: 'clusters/c1', serviceName: 'oooi-ingress', serviceNamespace: 'openshift-ingress' }
const now = '2026-01-01T00:00:00Z'
const later = '2026-01-01T00:05:00Z'
const late: Trouble = { reason: 'AddressPending', message: 'nothing yet', isMerelyLate: true }
const down: Trouble = { reason: 'HostedAPIUnreachable', message: 'ECONNREFUSED' }
const nobodyAnswers = { addresses: [], trouble: down }
const ready = appsStatus({ addresses: ['192.168.100.240'] }, place, undefined, now)

test('Ready tells the address and where the Service is', () => {
  expect(ready).toEqual({
    phase: 'Ready',
    reason: 'AddressAssigned',
    message: 'the names lead to 192.168.100.240',
    externalIP: '192.168.100.240',
    externalIPs: ['192.168.100.240'],
    ...place,
    lastSyncTime: now,
  })
})

test('what merely takes its time is Pending at first and Degraded once it was up', () => {
  const first = appsStatus({ addresses: [], trouble: late }, place, undefined, now)
  expect(first).toMatchObject({ phase: 'Pending', reason: 'AddressPending' })
  expect(appsStatus({ addresses: [], trouble: late }, place, first, now).phase).toBe('Pending')
  const noRouter: Trouble = { reason: 'NoRouterEndpoints', message: 'none', isMerelyLate: true }
  expect(appsStatus({ addresses: ['192.168.100.240'], trouble: noRouter }, place, first, now)).toMatchObject({
    phase: 'Pending',
    externalIP: '192.168.100.240',
  })
  expect(appsStatus({ addresses: ['192.168.100.240'], trouble: noRouter }, place, ready, now).phase).toBe('Degraded')
})

test('a lost address is Degraded, and the last good one stays', () => {
  const lost = appsStatus({ addresses: [], trouble: late }, place, ready, later)
  expect(lost).toMatchObject({
    phase: 'Degraded',
    reason: 'AddressLost',
    externalIP: '192.168.100.240',
    lastSyncTime: later,
  })
  const again = appsStatus({ addresses: ['192.168.100.241'] }, place, lost, later)
  expect(again).toMatchObject({ phase: 'Ready', externalIP: '192.168.100.241', externalIPs: ['192.168.100.241'] })
})

test('nobody answers: Degraded, with the last good address and the time it was last asked', () => {
  expect(appsStatus(nobodyAnswers, place, ready, undefined)).toMatchObject({
    phase: 'Degraded',
    reason: 'HostedAPIUnreachable',
    externalIP: '192.168.100.240',
    lastSyncTime: now,
  })
  expect(appsStatus(nobodyAnswers, place, undefined, undefined)).toEqual({
    phase: 'Degraded',
    reason: 'HostedAPIUnreachable',
    message: 'ECONNREFUSED',
    ...place,
  })
})

test('the address of another hosted cluster is no last good one', () => {
  const moved = appsStatus(nobodyAnswers, { ...place, hostedCluster: 'clusters/c2' }, ready, undefined)
  expect(moved.externalIP).toBeUndefined()
})

test('looks come ever later until it is Ready, then every five minutes', () => {
  const pending: AppsIngressStatus = { phase: 'Pending' }
  expect([0, 1, 2, 3, 4, 50].map((looks) => lookAgainMs(pending, looks))).toEqual([5e3, 10e3, 20e3, 40e3, 60e3, 60e3])
  expect(lookAgainMs(ready, 7)).toBe(300_000)
})
