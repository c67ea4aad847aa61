import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { parseManifest } from '../../api/manifest.ts'
import type { RenderedObject } from './object.ts'
import { type Isolation, type PolicyTarget, renderNetworkPolicy } from './policy.ts'
import { type RenderSettings, renderDhcpServer, renderDnsServer, renderProxyServer } from './render.ts'

const directory = new URL('testdata/', import.meta.url)
const cases = readdirSync(directory)
  .filter((name) => name.endsWith('.in.yaml'))
  .map((name) => name.replace('.in.yaml', ''))
const settings: RenderSettings = {
  image: 'registry.example.com/oooi:1.0',
  corednsImage: 'registry.example.com/coredns:1.12.4',
  envoyImage: 'registry.example.com/envoy:1.40.0',
  cidr: '192.168.100.0/23',
}

function read(name: string): string {
  return readFileSync(new URL(`${name}.in.yaml`, directory), 'utf8')
}

function render(name: string, given = settings): RenderedObject[] {
  if (name.startsWith('policy')) {
    const { infra, namespace, targets, policies }: PolicyCase = parse(read(name))
    return [renderNetworkPolicy(infra, namespace, targets, policies)].filter((policy) => policy !== undefined)
  }
  const manifest = parseManifest(read(name), name)
  const [object] = manifest.ok ? manifest.value.objects : []
  if (object?.kind === 'DHCPServer') return renderDhcpServer(object, given)
  if (object?.kind === 'DNSServer') return renderDnsServer(object, given)
  if (object?.kind === 'ProxyServer') return renderProxyServer(object, given)
  throw new Error(`${name} is no component: ${JSON.stringify(manifest)}`)
}

interface PolicyCase {
  readonly infra: { name: string; namespace: string }
  readonly namespace: string
  readonly targets: PolicyTarget[]
  readonly policies: Isolation[]
}

test.each(cases)('%s', async (name) => {
  const text = render(name).map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false }))
  await expect(text.join('---\n')).toMatchFileSnapshot(new URL(`${name}.out.yaml`, directory).pathname)
})

test('the length of the prefix is that of the network, else as written, else the customary one', () => {
  const manifest = parseManifest(read('proxy'), 'proxy')
  const [object] = manifest.ok ? manifest.value.objects : []
  if (object?.kind !== 'ProxyServer') throw new Error('no proxy')
  const annotationWith = (serverIP: string, cidr?: string) => {
    const { spec } = object
    const server = { ...object, spec: { ...spec, networkConfig: { ...spec.networkConfig, serverIP } } }
    return JSON.stringify(renderProxyServer(server, { ...settings, cidr }))
  }
  expect(annotationWith('10.0.0.5/16', '10.0.0.0/8')).toContain('10.0.0.5/8')
  expect(annotationWith('10.0.0.5/16')).toContain('10.0.0.5/16')
  expect(annotationWith('10.0.0.5')).toContain('10.0.0.5/24')
})

test('a policy never closes pods that nobody had closed', () => {
  const infra = { name: 'c1', namespace: 'clusters' }
  const target = { selector: { app: 'kube-apiserver' }, ports: [6443] }
  const opens = (policies: Isolation[]) => renderNetworkPolicy(infra, 'cp', [target], policies) !== undefined
  expect(opens([])).toBe(false)
  expect(opens([{ podSelector: {}, policyTypes: ['Egress'] }])).toBe(false)
  expect(opens([{ podSelector: { matchLabels: { app: 'etcd' } } }])).toBe(false)
  expect(opens([{ podSelector: {} }])).toBe(true)
  expect(opens([{ podSelector: { matchLabels: { app: 'kube-apiserver' } }, policyTypes: ['Ingress'] }])).toBe(true)
})

test('where the platform assigns users, no pod asks for one', () => {
  for (const name of ['dhcp-volume', 'dns', 'proxy']) {
    expect(JSON.stringify(render(name))).toContain('runAsUser')
    const text = JSON.stringify(render(name, { ...settings, assignsUsers: true }))
    expect(text).not.toMatch(/runAsUser|runAsGroup|fsGroup/)
    expect(text).toContain('"runAsNonRoot":true')
  }
})
