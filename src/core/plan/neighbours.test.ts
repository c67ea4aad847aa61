import { expect, test } from 'vitest'
import { kinds } from '../../api/kinds.ts'
import { goodManifests } from '../../api/testing/manifests.ts'
import { addressConflicts } from './neighbours.ts'

function infra(name: string, components: object, network = 'vlan100') {
  const { spec } = goodManifests.Infra
  const networkConfig = { ...spec.networkConfig, networkAttachmentDefinition: network }
  const manifest = { ...goodManifests.Infra, metadata: { name, namespace: 'clusters' } }
  return kinds.Infra.schema.parse({ ...manifest, spec: { networkConfig, infraComponents: components } })
}

const dhcp = (first: number) => ({
  serverIP: `192.168.100.${first}`,
  rangeStart: `192.168.100.${first + 10}`,
  rangeEnd: `192.168.100.${first + 20}`,
})

test('Infras on one wire may share its gateway, but no address and no range', () => {
  const one = infra('one', { dhcp: dhcp(2) })
  expect(addressConflicts(one, [one, infra('two', { dhcp: dhcp(50) })])).toEqual([])
  expect(addressConflicts(one, [infra('two', { dhcp: dhcp(2) }, 'vlan200')])).toEqual([])
  expect(addressConflicts(one, [infra('two', { dhcp: { ...dhcp(2), enabled: false } })])).toEqual([])
  const inRange = infra('three', { proxy: { serverIP: '192.168.100.15' } })
  expect(addressConflicts(one, [inRange]).map(({ reason }) => reason)).toEqual(['AddressConflict'])
  expect(addressConflicts(inRange, [one])[0]?.message).toContain(
    'Infra clusters/one too (192.168.100.12-192.168.100.22)',
  )
})
