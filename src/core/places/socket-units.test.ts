import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseInfraFile } from '../../api/manifest.ts'
import { translate } from '../translate/translate.ts'
import { placesOf } from './component-places.ts'
import { socketUnits } from './socket-units.ts'

const examples = new URL('../../../config/systemd/sockets/', import.meta.url).pathname
const sample = new URL('../../../config/samples/standalone/infra.yaml', import.meta.url)

function infraOf(change: (text: string) => string = (text) => text) {
  const infra = parseInfraFile(change(readFileSync(sample, 'utf8')), 'infra.yaml')
  if (!infra.ok) throw new Error(infra.problems[0]?.message)
  const components = translate(infra.value, { mode: 'file' })
  if (!components.ok) throw new Error(components.problems[0]?.message)
  return { name: infra.value.metadata.name, components: components.value }
}

test('the examples that are shipped are those of the sample', async () => {
  const { name, components } = infraOf()
  for (const { path, text } of socketUnits([{ name, places: placesOf(components, []), interfaceName: 'vlan100' }])) {
    await expect(text).toMatchFileSnapshot(`${examples}${path}`)
  }
})

test('each VLAN has its own socket for broadcasts, all other places are in one unit, once', () => {
  const second = infraOf((text) => text.replaceAll('192.168.100.', '192.168.101.').replace('my-cluster', 'second'))
  const units = socketUnits(
    [infraOf(), second].map(({ name, components }) => ({
      name,
      places: placesOf(components, ['10.0.0.5']),
      interfaceName: undefined,
    })),
  )
  expect(units.map(({ path }) => path)).toEqual([
    'oooi.socket',
    'oooi-dhcp-my-cluster.socket',
    'oooi-dhcp-second.socket',
    'oooi@.service.d/sockets.conf',
  ])
  const [common = { text: '' }, broadcasts] = units
  expect(common.text.match(/^ListenDatagram=10\.0\.0\.5:53$/gm)).toHaveLength(1)
  expect(common.text).not.toContain('255.255.255.255')
  expect(broadcasts?.text).toContain('# BindToDevice=')
  expect(units.at(-1)?.text).toContain('Sockets=oooi.socket oooi-dhcp-my-cluster.socket oooi-dhcp-second.socket')
})

test('what Envoy or CoreDNS listens on is theirs', () => {
  const { components } = infraOf()
  const { dns, proxy } = components
  if (!dns || !proxy) throw new Error('the sample has both')
  const places = placesOf(
    {
      dns: { ...dns, spec: { ...dns.spec, engine: 'coredns' } },
      proxy: { ...proxy, spec: { ...proxy.spec, engine: 'envoy' } },
    },
    [],
  )
  expect(places).toEqual([])
})
