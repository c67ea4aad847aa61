import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { dnsServerSchema } from '../../api/dnsserver.ts'
import { type CorednsOptions, renderCoredns } from './corefile.ts'

const directory = new URL('testdata/', import.meta.url)
const names = readdirSync(directory).flatMap((file) => (file.endsWith('.in.yaml') ? [file.slice(0, -8)] : []))
const options: CorednsOptions = {
  zoneDirectory: '/zones',
  serial: 1,
  podAddresses: ['10.128.0.5'],
  bind: [],
  clusterDomains: ['cluster.local'],
  clusterResolvers: ['172.30.0.2'],
  observe: { metrics: ':9153', health: ':8080', ready: ':8181' },
}

function read(name: string) {
  return dnsServerSchema.parse(parse(readFileSync(new URL(`${name}.in.yaml`, directory), 'utf8')))
}

it.each(names)('%s', async (name) => {
  const result = renderCoredns(read(name), options)
  if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join())
  const { corefile, zoneFiles } = result.value
  const text = [['Corefile', corefile], ...zoneFiles].map(([file, content]) => `# ${file}\n${content}`).join('\n')
  await expect(text).toMatchFileSnapshot(new URL(`${name}.out.txt`, directory).pathname)
})

it('says so when upstreams over TLS have several names', () => {
  const server = read('name-and-tls')
  const upstreamDNS = ['tls://10.0.0.53#a.example.org', 'tls://10.0.0.54#b.example.org']
  expect(renderCoredns({ ...server, spec: { ...server.spec, upstreamDNS } }, options)).toMatchObject({
    problems: [{ reason: 'InvalidField', message: expect.stringContaining('a.example.org and b.example.org') }],
  })
})
