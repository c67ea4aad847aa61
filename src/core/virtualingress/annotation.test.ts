import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseBackends, portsAskedOf } from './annotation.ts'

test('names and labels are read', () => {
  const read = parseBackends(
    'relay: {matchLabels: {app: relay}}\nother:\n  matchExpressions: [{key: a, operator: Exists}]',
  )
  expect(read.ok && [...read.value.keys()]).toEqual(['relay', 'other'])
})

test.each([
  ['', 'must be names'],
  ['[1, 2]', 'must be names'],
  ['relay: {}', 'relay: needs matchLabels'],
  ['Relay: {matchLabels: {a: b}}', 'Relay'],
  ['relay: {matchLabel: {a: b}}', 'relay'],
  ['relay: {matchLabels: {a: 1}}', 'relay.matchLabels.a'],
  ['relay: {', 'is no YAML'],
  [`relay: {matchLabels: {a: ${'x'.repeat(70_000)}}}`, 'more than'],
])('%.30s is refused with a sentence', (text, expected) => {
  const read = parseBackends(text)
  expect(read.ok ? '' : read.problems[0]?.message).toContain(expected)
})

test('any text gives backends or a sentence', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => typeof parseBackends(text).ok === 'boolean'))
})

test('the ports that an Ingress asks for', () => {
  const backend = { service: { name: 'relay', port: { number: 80 } } }
  const rules = [{ http: { paths: [{ backend }, { backend: { service: { name: 'x', port: { number: 1 } } } }] } }]
  expect(portsAskedOf({ spec: { rules, defaultBackend: backend } }, 'relay')).toEqual([{ number: 80 }, { number: 80 }])
})
