import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import type { Problem } from '../core/result.ts'
import { parsePath } from './fieldpath.ts'
import type { KindName } from './kinds.ts'
import { parseDhcpServerFile, parseInfraFile, parseManifest } from './manifest.ts'
import { apiVersion } from './meta.ts'
import { type Plain, withChange } from './testing/change.ts'
import { goodManifests } from './testing/manifests.ts'

function changed(kind: KindName, path: string, value: Plain | undefined): string {
  return stringify(withChange(goodManifests[kind], parsePath(path), value))
}

function problemsOf(text: string, wanted?: readonly KindName[]) {
  const result = parseManifest(text, 'x.yaml', wanted)
  return result.ok ? [] : result.problems
}

describe('every mistake says what was found and what is expected', () => {
  test.each<[KindName, string, Plain | undefined, string, string]>([
    ['Infra', 'spec.networkConfig.cidr', undefined, 'InvalidField', 'missing, expected an IPv4 network'],
    ['Infra', 'spec.networkConfig', undefined, 'InvalidField', 'missing, expected fields'],
    ['Infra', 'spec.networkConfig.gateway', 'router', 'InvalidField', 'found "router", expected an IPv4 address'],
    ['Infra', 'spec.networkConfig.dnsServers', '8.8.8.8', 'InvalidField', 'found "8.8.8.8", expected a list'],
    ['Infra', 'spec.infraComponents.dhcp', ['x'], 'InvalidField', 'found the list, expected fields'],
    ['Infra', 'spec.infraComponents.dhcp.enabled', 'true', 'InvalidField', 'found "true", expected true or false'],
    ['Infra', 'spec.infraComponents.dhcp.serverIPs', [], 'InvalidField', 'expected at least 1 entries'],
    ['Infra', 'spec.infraComponents.proxy.logLevel', 'loud', 'InvalidField', 'expected one of trace, debug'],
    [
      'Infra',
      'metadata.name',
      'a.b',
      'InvalidField',
      'found "a.b", expected lower-case letters, digits and hyphens, no dots',
    ],
    ['Infra', 'metadata.name', 'a'.repeat(49), 'InvalidField', 'at most 48'],
    ['Infra', 'metadata', undefined, 'InvalidField', 'missing, expected fields'],
    ['DHCPServer', 'metadata.name', 'a'.repeat(55), 'InvalidField', 'at most 54'],
    ['DHCPServer', 'spec.leaseConfig.leaseTime', '1 day', 'InvalidField', 'expected a duration from 1s'],
    [
      'DNSServer',
      'spec.networkConfig.dnsPort',
      '53',
      'InvalidField',
      'found "53", expected a whole number from 1 to 65535',
    ],
    ['ProxyServer', 'spec.backends', [], 'InvalidField', 'expected at least 1 entries'],
    ['ProxyServer', 'spec.backends[0].protocol', 'UDP', 'InvalidField', 'UDP has no connections to pass on'],
    ['ProxyServer', 'spec.backends[0].hostnme', 'x', 'UnknownField', 'did you mean hostname?'],
    ['ProxyServer', 'spec.nonsense', 1, 'UnknownField', 'there are networkConfig, backends'],
    ['ProxyServer', 'spec.__proto__', 1, 'UnknownField', 'no such field'],
  ])('%s %s = %j', (kind, path, value, reason, message) => {
    const problems = problemsOf(changed(kind, path, value))
    expect(problems).toContainEqual({
      reason,
      field: path,
      message: expect.stringContaining(message),
      at: { file: 'x.yaml', line: expect.any(Number) },
    })
  })
})

test('all mistakes at once, in the order of the file, each at its line', () => {
  const text = `apiVersion: ${apiVersion}
kind: Infra
metadata:
  name: c1
spec:
  networkConfig:
    cidr: 192.168.100.0/24
    gatway: 192.168.100.1
  infraComponents:
    dhcp:
      serverIP: 10.0.0.1
      rangeStart: 192.168.100.200
      rangeEnd: 192.168.100.100
    dns:
      serverIP: 192.168.100
`
  const found = problemsOf(text).map(({ reason, field, at }) => `${at?.line} ${field} ${reason}`)
  expect(found).toEqual([
    '8 spec.networkConfig.gatway UnknownField',
    '11 spec.infraComponents.dhcp.serverIP InvalidField',
    '13 spec.infraComponents.dhcp.rangeEnd InvalidField',
    '15 spec.infraComponents.dns.serverIP InvalidField',
  ])
})

test('a field that is misspelt or malformed is not called missing as well', () => {
  const misspelt = changed('Infra', 'spec.infraComponents.dhcp', {
    serverIp: '192.168.100.2',
    rangeStart: 5,
    rangeEnd: 'x',
  })
  expect(problemsOf(misspelt).map(({ field }) => field)).toEqual([
    'spec.infraComponents.dhcp.serverIp',
    'spec.infraComponents.dhcp.rangeStart',
    'spec.infraComponents.dhcp.rangeEnd',
  ])
})

describe('kinds', () => {
  test.each<[string, string, RegExp]>([
    ['nothing', '', /holds no object, expected Infra/],
    ['foreign objects only', 'apiVersion: v1\nkind: Namespace\n', /holds only Namespace, expected Infra/],
    ['a misspelt kind', `apiVersion: ${apiVersion}\nkind: Infar\n`, /no kind "Infar": did you mean Infra\?/],
    [
      'another version',
      'apiVersion: hostedcluster.densityops.com/v1\nkind: Infra\n',
      /found ".*v1", expected .*v1alpha1/,
    ],
    ['no version', 'kind: Infra\n', /found nothing, expected .*v1alpha1/],
    ['no kind', 'spec: {}\n', /missing, expected one of Infra/],
    ['a text', 'hello', /expected an object/],
    ['a list', '- kind: Infra', /expected an object/],
  ])('%s', (_, text, message) => {
    expect(problemsOf(text, ['Infra'])).toMatchObject([
      { reason: 'WrongKind', message: expect.stringMatching(message) },
    ])
  })

  test('objects of other kinds are left out with a warning', () => {
    const text = `apiVersion: v1\nkind: Namespace\n---\n${stringify(goodManifests.DNSServer)}---\n${stringify(goodManifests.Infra)}`
    const result = parseManifest(text, 'x.yaml', ['Infra'])
    expect(result.ok && result.value.objects.map(({ kind }) => kind)).toEqual(['Infra'])
    expect(result.ok && result.value.warnings).toEqual([
      { message: 'an object of kind Namespace is left out', at: { file: 'x.yaml', line: 1 } },
      { message: 'an object of kind DNSServer is left out', at: { file: 'x.yaml', line: 4 } },
    ])
  })

  test('a List, as kubectl prints it, is its entries', () => {
    const bad = withChange(goodManifests.DNSServer, ['spec', 'hostedClusterDomain'], undefined)
    const list = { apiVersion: 'v1', kind: 'List', items: [goodManifests.Infra, bad] }
    expect(problemsOf(JSON.stringify(list))).toMatchObject([{ field: 'items[1].spec.hostedClusterDomain' }])
    const good = parseManifest(JSON.stringify({ ...list, items: Object.values(goodManifests) }), 'x.json')
    expect(good.ok && good.value.objects.map(({ kind }) => kind)).toEqual(Object.keys(goodManifests))
  })

  test('a command that serves one object wants one', () => {
    const one = stringify(goodManifests.Infra)
    expect(parseInfraFile(one, 'x.yaml')).toMatchObject({ ok: true, value: { kind: 'Infra' } })
    expect(parseInfraFile(`${one}---\n${one}`, 'x.yaml')).toMatchObject({
      ok: false,
      problems: [{ reason: 'WrongKind', message: expect.stringContaining('2 objects of kind Infra (c1, c1)') }],
    })
    expect(parseDhcpServerFile(one, 'x.yaml')).toMatchObject({ ok: false, problems: [{ reason: 'WrongKind' }] })
  })
})

test('an object as kubectl prints it, with status and managed fields, is read', () => {
  const metadata = {
    ...goodManifests.Infra.metadata,
    uid: '7a0e',
    resourceVersion: '12',
    generation: 3,
    creationTimestamp: '2026-01-01T00:00:00Z',
    managedFields: [{ manager: 'kubectl', fieldsV1: { 'f:spec': {} } }],
  }
  const status = {
    conditions: [
      { type: 'Ready', status: 'True', reason: 'Fine', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ],
  }
  expect(parseInfraFile(stringify({ ...goodManifests.Infra, metadata, status }), 'x.yaml')).toMatchObject({ ok: true })
})

test('images of the Go program are read as the default, with a warning', () => {
  const text = changed('DHCPServer', 'spec.image', 'ghcr.io/cldmnky/hyperdhcp:latest')
  const result = parseManifest(text, 'x.yaml')
  expect(result.ok && result.value.warnings).toMatchObject([{ field: 'spec.image', at: { line: expect.any(Number) } }])
  expect(result.ok && result.value.objects[0]?.spec).not.toHaveProperty('image')
  const own = parseManifest(changed('DHCPServer', 'spec.image', 'registry.example.com/oooi:1'), 'x.yaml')
  expect(own.ok && own.value.objects[0]?.spec).toHaveProperty('image', 'registry.example.com/oooi:1')
})

test('defaults are filled in', () => {
  const result = parseInfraFile(stringify(goodManifests.Infra), 'x.yaml')
  expect(result.ok && result.value.spec).toMatchObject({
    infraComponents: {
      dhcp: { enabled: true, leaseTime: '1h', authoritative: true, leaseStorage: 'Ephemeral' },
      dns: { enabled: true, engine: 'oooi', cacheTTL: '30s', reloadInterval: '5s', queryLog: false },
      proxy: { enabled: true, apiServerService: 'kube-apiserver', logLevel: 'info' },
    },
    appsIngress: { ports: { http: 80, https: 443 } },
  })
})

test('problems found later can be located', () => {
  const result = parseManifest(`# first\n${stringify(goodManifests.Infra)}`, 'x.yaml')
  const [infra] = result.ok ? result.value.objects : []
  const found: Problem = { reason: 'InvalidField', message: 'odd', field: 'spec.networkConfig.cidr' }
  expect(infra && result.ok && result.value.locate(infra, [found])).toEqual([
    { ...found, at: { file: 'x.yaml', line: 9 } },
  ])
})
