import { expect, test } from 'vitest'
import { vmRecords } from './vmrecords.ts'

const domainOf = (cluster: string | undefined) => `${cluster ?? 'c1'}.example.com`

test('machines have names in the domain of their cluster: their own, else the one they were given', () => {
  const leases = [
    { address: '192.168.100.10', state: 'Active', vmName: 'Worker-1', hostname: 'other' },
    { address: '192.168.100.11', state: 'Active', vmName: 'worker-1', cluster: 'c2' },
    { address: '192.168.100.12', state: 'Active', hostname: 'registry' },
    { address: '192.168.100.13', state: 'Active', hostname: 'registry' },
    { address: '192.168.100.14', state: 'Active' },
    { address: '192.168.100.15', state: 'Expired', vmName: 'worker-2' },
  ]
  expect(vmRecords(leases, domainOf)).toEqual([
    { hostname: 'worker-1.c1.example.com', addresses: ['192.168.100.10'] },
    { hostname: 'worker-1.c2.example.com', addresses: ['192.168.100.11'] },
    { hostname: 'registry.c1.example.com', addresses: ['192.168.100.12', '192.168.100.13'] },
  ])
})
