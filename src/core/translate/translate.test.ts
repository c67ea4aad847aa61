import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { onlyObject, parseInfraFile, parseManifest } from '../../api/manifest.ts'
import { attachedTo, bindAttached } from '../plan/attached.ts'
import type { Result } from '../result.ts'
import { ownBindings } from './binding.ts'
import { networkRemarks } from './network.ts'
import { type Components, type Surroundings, translate } from './translate.ts'

const directory = new URL('testdata/', import.meta.url)
const cases = readdirSync(directory)
  .filter((name) => name.endsWith('.in.yaml'))
  .map((name) => name.replace('.in.yaml', ''))

function read(name: string): string {
  return readFileSync(new URL(`${name}.in.yaml`, directory), 'utf8')
}

/** Both halves of what a person gets: a file with mistakes never reaches translate. */
function translateFile(name: string, surroundings?: Surroundings): Result<Components> {
  const manifest = parseManifest(read(name), `${name}.in.yaml`, ['Infra', 'InfraClusterAttachment'])
  if (!manifest.ok) return manifest
  const infra = onlyObject('Infra', manifest.value, `${name}.in.yaml`)
  if (!infra.ok) return infra
  const attachments = manifest.value.objects.filter((object) => object.kind === 'InfraClusterAttachment')
  const { bindings } = bindAttached(attachedTo(infra.value, attachments))
  return translate(infra.value, { bindings, ...surroundings })
}

test.each(cases)('%s', async (name) => {
  const result = translateFile(name)
  const documents = result.ok ? Object.values(result.value) : [{ problems: result.problems }]
  const text = documents.map((document) => stringify(document, { lineWidth: 0 })).join('---\n')
  await expect(text).toMatchFileSnapshot(new URL(`${name}.out.yaml`, directory).pathname)
})

test.each(cases.filter((name) => !name.startsWith('problem')))('%s gives objects that are valid files', (name) => {
  const result = translateFile(name)
  for (const object of result.ok ? Object.values(result.value) : []) {
    const again = parseManifest(stringify(object), 'child.yaml')
    expect(again).toMatchObject({ ok: true })
    expect(again.ok && again.value.objects).toEqual([JSON.parse(JSON.stringify(object))])
  }
})

test('the pod address of a host is where the pod network finds proxy and applications', () => {
  const result = translateFile('apps-domain', { internalProxyAddress: '10.0.0.5' })
  // Its own internalProxyService, a name, wins.
  expect(result).toMatchObject({
    ok: true,
    value: { dns: { spec: { networkConfig: { internalProxyIP: 'c1-proxy.clusters.svc.cluster.local' } } } },
  })
  const apps = translateFile('apps-without-internal', { internalProxyAddress: '10.0.0.5' })
  expect(apps.ok && apps.value.dns?.spec).toMatchObject({ networkConfig: { internalProxyIP: '10.0.0.5' } })
  expect(apps.ok && apps.value.dns?.spec.staticEntries).toContainEqual({
    hostname: '*.apps.c1.example.com',
    ip: '192.168.100.240',
    internalIP: '10.0.0.5',
  })
})

test('a cluster whose machines are known is served to them alone, unless the Infra says otherwise', () => {
  const infra = parseInfraFile(read('readme'), 'readme')
  if (!infra.ok) throw new Error('unreadable')
  const bindings = ownBindings(infra.value).map((binding) => ({ ...binding, knowsItsMachines: true }))
  expect(translate(infra.value, { bindings })).toMatchObject({ value: { dhcp: { spec: { clientPolicy: 'Known' } } } })
})

test('in a cluster components cannot share an address and need an attachment', () => {
  const result = translateFile('one-address', { mode: 'cluster' })
  expect(result.ok ? [] : result.problems.map(({ field }) => field)).toEqual([
    'spec.networkConfig.networkAttachmentDefinition',
    'spec.infraComponents.dns.serverIP',
    'spec.infraComponents.proxy.serverIP',
  ])
})

test('a network whose machines have their addresses from others is remarked on beside a DHCP server', () => {
  const remarks = (ipam: string, enabled = true) => {
    const infra = parseInfraFile(read('readme'), 'readme')
    if (!infra.ok) throw new Error('unreadable')
    const changed = structuredClone(infra.value)
    Object.assign(changed.spec.networkConfig, { ipam })
    Object.assign(changed.spec.infraComponents.dhcp ?? {}, { enabled })
    return networkRemarks(changed).map(({ message }) => message)
  }
  expect(remarks('External')).toEqual([expect.stringContaining('External means that others')])
  expect([...remarks('DHCP'), ...remarks('OVNKubernetes', false)]).toEqual([])
})
