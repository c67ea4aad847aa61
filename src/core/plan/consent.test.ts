import { expect, test } from 'vitest'
import { parseCidr } from '../net/cidr.ts'
import { backendProblems, type Consent, mayUseNamespace } from './consent.ts'

const nobody: Consent = {
  anyNamespace: false,
  targetCidrs: [],
  hostedClustersOf: () => [],
  annotationOf: () => undefined,
}

test.each<[string, Partial<Consent>, boolean]>([
  ['nobody said anything', {}, false],
  ['the namespace agrees', { annotationOf: () => 'a, tenant ,b' }, true],
  ['the namespace agrees with others', { annotationOf: () => 'tenant-2,*' }, false],
  ['HyperShift says so', { hostedClustersOf: () => ['other/x', 'tenant/c1'] }, true],
  ['HyperShift says otherwise', { hostedClustersOf: () => ['other/tenant'] }, false],
  ['the operator allows all', { anyNamespace: true }, true],
])('%s', (_, changes, expected) => {
  expect(mayUseNamespace('tenant', 'tenant-c1', { ...nobody, ...changes })).toBe(expected)
  expect(mayUseNamespace('tenant', 'tenant', { ...nobody, ...changes })).toBe(true)
})

test('the command that grants it keeps what was granted before', () => {
  const consent = { ...nobody, annotationOf: () => 'a,b' }
  const [problem] = backendProblems('tenant', { targetNamespace: 'cp' }, 'x', consent, undefined)
  expect(problem).toMatchObject({ reason: 'TargetNotPermitted', field: 'x.targetNamespace' })
  expect(problem?.message).toContain(
    'kubectl annotate namespace cp --overwrite hostedcluster.densityops.com/allow-infra-from=a,b,tenant',
  )
})

const everything = [parseCidr('0.0.0.0/0')].filter((cidr) => cidr !== undefined)

test.each<[string, Partial<Consent>, boolean]>([
  ['192.168.100.7', {}, true],
  ['10.0.0.1', {}, false],
  ['10.0.0.1', { targetCidrs: everything }, true],
  ['127.0.0.1', { targetCidrs: everything }, false],
  ['169.254.169.254', { targetCidrs: everything }, false],
  ['fd00::1', { targetCidrs: everything }, false],
  ['api.victim.svc', { targetCidrs: everything }, false],
  ['api.victim.svc', { anyNamespace: true }, true],
])('target %s', (targetAddress, changes, expected) => {
  const vlan = parseCidr('192.168.100.0/24')
  expect(backendProblems('t', { targetAddress }, 'x', { ...nobody, ...changes }, vlan).length === 0).toBe(expected)
})
