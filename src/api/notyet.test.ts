import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { parsePath } from './fieldpath.ts'
import { type KindName, kinds } from './kinds.ts'
import { parseManifest } from './manifest.ts'
import { notYet } from './notyet.ts'
import { fieldNames } from './shape.ts'
import { type Plain, withChange } from './testing/change.ts'
import { goodManifests } from './testing/manifests.ts'

function reasonsFor(kind: KindName, path: string, value: Plain): string[] {
  const result = parseManifest(stringify(withChange(goodManifests[kind], parsePath(path), value)), 'x.yaml')
  return result.ok ? [] : result.problems.map(({ reason, message }) => `${reason}: ${message}`)
}

describe('asked for', () => {
  test('two addresses', () => {
    const { serverIP, ...rest } = goodManifests.DHCPServer.spec.networkConfig
    const two = { ...rest, serverIPs: ['192.168.100.2', '192.168.100.3'] }
    expect(reasonsFor('DHCPServer', 'spec.networkConfig', two)).toEqual([expect.stringContaining('NotYetSupported')])
    const one = { ...rest, serverIPs: ['192.168.100.2'] }
    expect(reasonsFor('DHCPServer', 'spec.networkConfig', one)).toEqual([])
  })
})

describe('the same as leaving it out', () => {
  test.each<[KindName, string, Plain]>([
    ['DNSServer', 'spec.engine', 'oooi'],
    ['DNSServer', 'spec.queryLog', false],
    ['ProxyServer', 'spec.engine', 'embedded'],
    ['ProxyServer', 'spec.backends[0].protocol', 'TLS'],
    ['ProxyServer', 'spec.backends[0].proxyProtocol', false],
    ['ProxyServer', 'spec.backends[0].sourcePrefixRanges', []],
    ['Infra', 'spec.infraComponents.proxy.externalService', { enabled: false }],
    ['Infra', 'spec.infraComponents.proxy.externalService', {}],
  ])('%s %s %j', (kind, path, value) => {
    expect(reasonsFor(kind, path, value)).toEqual([])
  })
})

test('every entry names fields that exist', () => {
  for (const entry of notYet.flatMap(({ fields }) => fields)) {
    const [kind, path] = entry.split(' ')
    const steps = parsePath((path ?? '').replaceAll('[]', '[0]'))
    const [last, ...parents] = steps.toReversed()
    const schema = Object.values(kinds).find((definition) => definition.kind === kind)?.schema
    if (typeof last === 'string') expect(schema && fieldNames(schema, parents.toReversed()), entry).toContain(last)
  }
})
