import { expect, test } from 'vitest'
import { kinds } from '../../api/kinds.ts'
import { goodManifests } from '../../api/testing/manifests.ts'
import { type ChildView, infraStatements } from './infra.ts'

const { spec } = kinds.Infra.schema.parse(goodManifests.Infra)

function child(status: 'True' | 'False' | 'Unknown', observedGeneration = 1, generation = 1): ChildView {
  const ready = { type: 'Ready', status, reason: 'PodPending', message: 'why', observedGeneration }
  return { metadata: { name: 'c1-x', generation }, status: { conditions: [ready] } }
}

function said(changes: Partial<Parameters<typeof infraStatements>[0]> = {}): Record<string, string> {
  const ownCluster = { findings: undefined, appsStatus: undefined }
  const good = { ownCluster, dhcp: child('True'), dns: child('True'), proxy: child('True') }
  const statements = infraStatements({ generation: 7, problems: [], warnings: [], spec, ...good, ...changes })
  expect(statements.every(({ observedGeneration }) => observedGeneration === 7)).toBe(true)
  return Object.fromEntries(statements.map(({ type, status, reason }) => [type, `${status} ${reason}`]))
}

test('an Infra is what its components are', () => {
  expect(said()).toEqual({
    Accepted: 'True Accepted',
    DHCPReady: 'True PodPending',
    DNSReady: 'True PodPending',
    ProxyReady: 'True PodPending',
    AppsIngressReady: 'True AddressGiven',
  })
  expect(said({ dns: child('False') })).toMatchObject({
    DNSReady: 'False PodPending',
    AppsIngressReady: 'Unknown PodPending',
  })
})

test('what a component said of an earlier version counts for nothing', () => {
  expect(said({ dhcp: child('True', 1, 2) }).DHCPReady).toBe('Unknown ComponentPending')
  expect(said({ dhcp: undefined }).DHCPReady).toBe('Unknown ComponentPending')
})

test('of what is switched off nothing is said', () => {
  const { dhcp: _, ...infraComponents } = spec.infraComponents
  const { appsIngress: __, ...rest } = spec
  expect(Object.keys(said({ spec: { ...rest, infraComponents } }))).toEqual(['Accepted', 'DNSReady', 'ProxyReady'])
})

test('all problems are told, the first gives the reason', () => {
  const problems = [
    { reason: 'AddressTaken', field: 'spec.a', message: 'one' },
    { reason: 'NameTaken', message: 'two' },
  ] as const
  const [accepted] = infraStatements({
    generation: 1,
    problems,
    warnings: [],
    spec: undefined,
    dhcp: undefined,
    dns: undefined,
    proxy: undefined,
    ownCluster: undefined,
  })
  expect(accepted).toMatchObject({ status: 'False', reason: 'AddressTaken', message: 'spec.a: one; two' })
})
