import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { dnsServerSchema } from '../../api/dnsserver.ts'
import { type CorednsOptions, renderCoredns } from './corefile.ts'

const directory = new URL('testdata/', import.meta.url)
const names = readdirSync(directory).flatMap((file) => (file.endsWith('.in.yaml') ? [file.slice(0, -8)] : []))
const options: CorednsOptions = {
  zoneDirectory: '/zones',
  listen: { vlan: ['192.168.100.3'], pod: ['10.128.0.5'] },
  clusterDomains: ['cluster.local'],
  observe: { metrics: '10.128.0.5:9153', ready: '10.128.0.5:8181' },
}

function read(name: string) {
  return dnsServerSchema.parse(parse(readFileSync(new URL(`${name}.in.yaml`, directory), 'utf8')))
}

it.each(names)('%s', async (name) => {
  const result = renderCoredns(read(name), options)
  if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join())
  const { corefile, zones } = result.value
  const files = zones.map(({ file, text }) => [file, text(1)])
  const text = [['Corefile', corefile], ...files].map(([file, content]) => `# ${file}\n${content}`).join('\n')
  await expect(text).toMatchFileSnapshot(new URL(`${name}.out.txt`, directory).pathname)
})

it('looks at the client where one address serves both sides', () => {
  const both = ['192.168.100.3']
  const result = renderCoredns(read('two-clusters'), { ...options, listen: { vlan: both, pod: both } })
  expect(
    result.ok &&
      result.value.corefile
        .split('\n')
        .slice(4, 9)
        .map((line) => line.trim()),
  ).toEqual([
    expect.stringMatching(/^c1\.example\.com:53 c2/),
    'view vlan {',
    "expr incidr(client_ip(), '192.168.100.0/24')",
    '}',
    'bind 192.168.100.3',
  ])
})

it('has no view that nobody could ask', () => {
  const result = renderCoredns(read('two-clusters'), { ...options, listen: { vlan: ['192.168.100.3'], pod: [] } })
  expect(result.ok && new Set(result.value.zones.map(({ view }) => view))).toEqual(new Set(['vlan']))
})

it('says so when upstreams over TLS have several names', () => {
  const server = read('name-and-tls')
  const upstreamDNS = ['tls://10.0.0.53#a.example.org', 'tls://10.0.0.54#b.example.org']
  expect(renderCoredns({ ...server, spec: { ...server.spec, upstreamDNS } }, options)).toMatchObject({
    problems: [{ reason: 'InvalidField', message: expect.stringContaining('a.example.org and b.example.org') }],
  })
})

it('says so when there are more upstreams than CoreDNS takes', () => {
  const server = read('two-clusters')
  const upstreamDNS = Array.from({ length: 16 }, (_, index) => `10.0.0.${index}`)
  expect(renderCoredns({ ...server, spec: { ...server.spec, upstreamDNS } }, options)).toMatchObject({
    problems: [{ message: expect.stringContaining('15 upstreams at most, not 16') }],
  })
})
