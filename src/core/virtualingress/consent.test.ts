import { expect, test } from 'vitest'
import { permitsFrom } from './consent.ts'

const asker = { group: 'hostedcluster.densityops.com', kind: 'VirtualIngress' }
const service = { namespace: 'b', name: 's', uid: '', labels: {}, createdAt: '', isTerminating: false, ports: [] }
const from = [{ ...asker, namespace: 'a' }]
const grant = (to: object) => [
  { metadata: { namespace: 'b' }, spec: { from, to: [{ group: '', kind: 'Service', ...to }] } },
]

test('nobody is permitted who is not named', () => {
  expect(permitsFrom(service, 'a', asker, [])).toBe(false)
  expect(permitsFrom({ ...service, allowFrom: 'aa, ab' }, 'a', asker, [])).toBe(false)
  expect(permitsFrom({ ...service, allowFrom: '*' }, 'a', asker, [])).toBe(false)
  expect(permitsFrom(service, 'a', asker, grant({ name: 'other' }))).toBe(false)
  expect(permitsFrom(service, 'a', asker, grant({ kind: 'Secret' }))).toBe(false)
  expect(permitsFrom(service, 'c', asker, grant({}))).toBe(false)
  expect(permitsFrom(service, 'a', { ...asker, kind: 'Ingress' }, grant({}))).toBe(false)
})

test('an annotation or a grant permits', () => {
  expect(permitsFrom({ ...service, allowFrom: 'x, a' }, 'a', asker, [])).toBe(true)
  expect(permitsFrom(service, 'a', asker, grant({}))).toBe(true)
  expect(permitsFrom(service, 'a', asker, grant({ name: 's' }))).toBe(true)
})
