import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { proxyServerSchema } from '../../../api/proxyserver.ts'
import { toYaml } from '../../../api/yaml.ts'
import { bootstrapOf, discoveryClusterAt, staticConfigOf } from './bootstrap.ts'
import { type EnvoyResources, envoyResourcesOf } from './resources.ts'

const folder = new URL('golden/', import.meta.url)
const cases = readdirSync(folder).filter((name) => name.endsWith('.in.yaml'))

function render(file: string, shuffle = false): { resources: EnvoyResources; text: string } {
  const proxy = proxyServerSchema.parse(parse(readFileSync(new URL(file, folder), 'utf8')))
  if (shuffle) proxy.spec.backends.reverse()
  const resources = envoyResourcesOf(proxy, { podAddresses: ['10.0.0.4'], endpoints: 'inline' })
  const config = staticConfigOf(resources, { nodeId: proxy.metadata.name, adminSocket: '/run/oooi/admin.sock' })
  return { resources, text: toYaml([config]) }
}

describe.each(cases)('%s', (file) => {
  it('becomes the Envoy configuration beside it', async () => {
    const { resources, text } = render(file)
    expect(resources.problems).toEqual([])
    await expect(text).toMatchFileSnapshot(`golden/${file.replace('.in.yaml', '.out.yaml')}`)
  })

  it('gives the same text whatever the order of the backends', () => {
    expect(render(file, true).text).toBe(render(file).text)
  })
})

it('the bootstrap asks this host for everything else', async () => {
  const bootstrap = bootstrapOf({
    nodeId: 'clusters-c1/c1-proxy',
    xdsPort: 18_000,
    adminSocket: '/run/oooi/admin.sock',
  })
  await expect(toYaml([bootstrap])).toMatchFileSnapshot('golden/bootstrap.out.yaml')
})

it('an Envoy with an oooi beside it tells who came to which backend', async () => {
  const proxy = proxyServerSchema.parse(parse(readFileSync(new URL('cluster.in.yaml', folder), 'utf8')))
  const place = { nodeId: 'clusters-c1/c1-proxy', xdsPort: 18_000, adminSocket: '/run/oooi/admin.sock' }
  const { listeners } = envoyResourcesOf(proxy, { podAddresses: ['10.0.0.4'], endpoints: 'discovered' })
  const { clusters } = envoyResourcesOf(proxy, { podAddresses: [], endpoints: 'inline' })
  // In one file with the clusters, so that Envoy can check it without asking anybody.
  const { dynamic_resources: _, ...config } = bootstrapOf(place)
  const resources = {
    clusters: [discoveryClusterAt(place.xdsPort), ...clusters.values()],
    listeners: [...listeners.values()].filter(({ name }) => String(name).endsWith(':443')),
  }
  const text = toYaml([{ ...config, static_resources: resources }])
  await expect(text).toMatchFileSnapshot('golden/reported.out.yaml')
})
