import { expect, test } from 'vitest'
import { addressesOf, knownClients, mostClients } from './clients.ts'

const machine = {
  metadata: { name: 'w1', namespace: 'clusters-c1' },
  spec: { domain: { devices: { interfaces: [{ macAddress: '02-00-00-00-00-0A' }] } } },
  status: { interfaces: [{ mac: '02:00:00:00:00:0b' }, { mac: '02:00:00:00:00:0a' }, {}] },
}

function launcher(status: string) {
  return {
    metadata: {
      name: 'virt-launcher-w2-abc',
      namespace: 'clusters-c2',
      annotations: { 'k8s.v1.cni.cncf.io/network-status': status },
      ownerReferences: [{ kind: 'VirtualMachineInstance', name: 'w2' }],
    },
  }
}

test('machines are known by what they ask for, what they have, and what Multus gave to their pod', () => {
  const noted = JSON.stringify([
    { name: 'pod', default: true },
    { name: 'clusters-c2/vlan', mac: '02:00:00:00:00:0C' },
  ])
  expect(knownClients([machine], [launcher(noted), launcher('rubbish'), launcher('[null, {"mac": 7}]')])).toEqual([
    { mac: '02:00:00:00:00:0a', name: 'w1', cluster: 'clusters-c1' },
    { mac: '02:00:00:00:00:0b', name: 'w1', cluster: 'clusters-c1' },
    { mac: '02:00:00:00:00:0c', name: 'w2', cluster: 'clusters-c2' },
  ])
})

test('a name that no host may have is left out, and a machine without cards too', () => {
  expect(knownClients([{ ...machine, metadata: { name: 'w.1' } }])[0]).toEqual({ mac: '02:00:00:00:00:0a' })
  expect(knownClients([{ metadata: { name: 'bare' } }])).toEqual([])
})

test('an address belongs to the cluster of its machine, else to the one its lease was noted for', () => {
  const lease = (address: string, mac: string, cluster?: string, state = 'Active') => ({ address, mac, cluster, state })
  const leases = [
    lease('192.168.100.102', '02:00:00:00:00:0a', 'clusters-c2'),
    lease('192.168.100.101', '02:00:00:00:00:0d', 'clusters-c1'),
    lease('192.168.100.103', '02:00:00:00:00:0e', 'clusters-c1', 'Expired'),
    lease('192.168.100.104', '02:00:00:00:00:0f'),
  ]
  expect(addressesOf('clusters-c1', leases, knownClients([machine]))).toEqual(['192.168.100.101', '192.168.100.102'])
})

test('who is told of machines sees how many there are, also when they are too many for a status', () => {
  const card = (index: number) => ({ macAddress: `02:00:00:00:${hex(index >> 8)}:${hex(index & 0xff)}` })
  const cards = Array.from({ length: mostClients + 1 }, (_, index) => card(index))
  const crowd = { metadata: { name: 'crowd' }, spec: { domain: { devices: { interfaces: cards } } } }
  expect(knownClients([crowd])).toHaveLength(mostClients + 1)
})

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0')
}
