import { describe, expect, test } from 'vitest'
import { formatPath, parsePath } from '../fieldpath.ts'
import { isKindName, type KindDefinition, type KindName, kinds, type Resource } from '../kinds.ts'
import { salvage } from '../shape.ts'
import { breaches, spoiled } from '../testing/breaches.ts'
import { withChange } from '../testing/change.ts'
import { goodManifests } from '../testing/manifests.ts'
import type { Mode } from './rule.ts'

const kindNames = Object.keys(kinds).filter(isKindName)

function violationsOf(name: KindName, manifest: unknown, mode: Mode) {
  const kind: KindDefinition<Resource> = kinds[name]
  return kind.rules.flatMap((group) => group.violations(salvage(kind.schema, manifest), mode))
}

describe.each(kindNames)('%s', (name) => {
  test('a good one breaks no rule', () => {
    expect(violationsOf(name, goodManifests[name], 'cluster')).toEqual([])
    expect(violationsOf(name, goodManifests[name], 'file')).toEqual([])
  })

  test.each(breaches[name].map(([rule, field, changes, mode = 'file']) => ({ rule, field, changes, mode })))(
    '$rule at $field',
    ({ rule, field, changes, mode }) => {
      const found = violationsOf(name, spoiled(name, changes), mode)
      expect(found.map((violation) => [violation.rule, violation.field])).toContainEqual([rule, field])
      expect(formatPath(parsePath(field))).toBe(field)
    },
  )

  test('every rule has been broken above, and has a name of its own', () => {
    const places = kinds[name].rules.flatMap((group) => group.rules.map((rule) => `${rule.name} at ${group.at}`))
    const rules = kinds[name].rules.flatMap((group) => group.rules.map((rule) => rule.name))
    expect(new Set(breaches[name].map(([rule]) => rule))).toEqual(new Set(rules))
    expect(new Set(places).size).toBe(places.length)
  })
})

test('a component that is switched off is not judged', () => {
  const off = withChange(goodManifests.Infra, parsePath('spec.infraComponents.dhcp'), {
    enabled: false,
    serverIP: '10.9.9.9',
    rangeStart: '10.9.9.9',
  })
  expect(violationsOf('Infra', off, 'cluster')).toEqual([])
})

test('one address for all components is refused in a cluster only', () => {
  const shared = ['dns', 'proxy'].reduce<unknown>(
    (manifest, name) => withChange(manifest, parsePath(`spec.infraComponents.${name}.serverIP`), '192.168.100.2'),
    goodManifests.Infra,
  )
  expect(violationsOf('Infra', shared, 'file')).toEqual([])
  expect(violationsOf('Infra', shared, 'cluster')).toHaveLength(2)
})

test('the same name on one port is allowed for different clients', () => {
  const backend = { name: 'a', hostname: 'a', port: 443, targetAddress: '10.0.0.1', targetPort: 1 }
  const backends = [
    { ...backend, sourcePrefixRanges: ['10.0.0.1/32'] },
    { ...backend, name: 'b', sourcePrefixRanges: ['10.0.0.2/32'] },
  ]
  expect(
    violationsOf('ProxyServer', withChange(goodManifests.ProxyServer, ['spec', 'backends'], backends), 'file'),
  ).toEqual([])
})
