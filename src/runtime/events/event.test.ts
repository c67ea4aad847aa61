import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { KubeObject } from '../kube/object.ts'
import { type Happening, happeningKey, newEvent } from './event.ts'

const regarding: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name: 'thing', namespace: 'team', uid: 'u', resourceVersion: '7' },
}
const happening: Happening = {
  regarding,
  type: 'Warning',
  reason: 'PoolFull',
  action: 'Lease',
  note: 'No address is left.',
}
const reporter = { controller: 'example.com/controller', instance: 'pod-1' }
const now = Date.UTC(2026, 0, 1)

test('an event as the API wants it', () => {
  expect(newEvent(happening, reporter, now, 1)).toEqual({
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: expect.stringMatching(/^thing\.[0-9a-f]+$/), namespace: 'team' },
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'example.com/controller',
    reportingInstance: 'pod-1',
    action: 'Lease',
    reason: 'PoolFull',
    type: 'Warning',
    note: 'No address is left.',
    regarding: {
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      name: 'thing',
      namespace: 'team',
      uid: 'u',
      resourceVersion: '7',
    },
  })
})

test('about an object without a namespace it lives in default', () => {
  const cluster = { ...regarding, metadata: { name: 'node', uid: 'u' } }
  expect(newEvent({ ...happening, regarding: cluster }, reporter, now, 1).metadata.namespace).toBe('default')
})

test('names differ in the same millisecond and are never too long', () => {
  const long = { ...regarding, metadata: { ...regarding.metadata, name: 'x'.repeat(253) } }
  const names = [1, 2].map(
    (sequence) => newEvent({ ...happening, regarding: long }, reporter, now, sequence).metadata.name,
  )
  expect(new Set(names).size).toBe(2)
  expect(names.every((name) => name.length <= 253)).toBe(true)
})

test('a note of any text fits into 1024 bytes and stays text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 600, size: 'max' }), (text) => {
      const whole = text + text + text
      const note = newEvent({ ...happening, note: whole }, reporter, now, 1).note ?? ''
      expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1024)
      expect(note === whole || (note.endsWith('...') && whole.startsWith(note.slice(0, -3)))).toBe(true)
    }),
  )
})

test('what differs in anything a person would see is another event', () => {
  const others: Happening[] = [
    { ...happening, type: 'Normal' },
    { ...happening, reason: 'Other' },
    { ...happening, action: 'Other' },
    { ...happening, note: 'Other' },
    { ...happening, related: regarding },
    { ...happening, regarding: { ...regarding, metadata: { ...regarding.metadata, uid: 'other' } } },
  ]
  expect(new Set([happening, ...others].map(happeningKey)).size).toBe(7)
  const newer = { ...regarding, metadata: { ...regarding.metadata, resourceVersion: '8' } }
  expect(happeningKey({ ...happening, regarding: newer })).toBe(happeningKey(happening))
})
