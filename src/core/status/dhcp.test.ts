import { expect, test } from 'vitest'
import { dhcpTroubles, dhcpVerdict } from './dhcp.ts'
import { appliedStatement, troubleStatements, whyNotApplied } from './engine.ts'

const conditionsOf = (...reasons: (typeof dhcpTroubles)[number][]) =>
  troubleStatements(
    3,
    dhcpTroubles,
    reasons.map((reason) => ({ reason, message: `about ${reason}` })),
  )

test('every trouble that is looked for is stated, whether it is there or not', () => {
  expect(conditionsOf('PoolExhausted').map(({ type, status, reason }) => `${type} ${status} ${reason}`)).toEqual([
    'PoolExhausted True PoolExhausted',
    'RogueServerSeen False NotSeen',
    'LeaseStoreDegraded False NotSeen',
    'LeasesOrphaned False NotSeen',
    'LeasesOutsideRange False NotSeen',
    'AddressInUse False NotSeen',
  ])
})

test('a full pool is said beside Ready, a store that takes nothing prevents it', () => {
  expect(dhcpVerdict(3, conditionsOf())).toEqual({ needed: undefined, remark: '' })
  expect(dhcpVerdict(3, conditionsOf('PoolExhausted', 'LeasesOrphaned'))).toEqual({
    needed: undefined,
    remark: 'PoolExhausted: about PoolExhausted; LeasesOrphaned: about LeasesOrphaned',
  })
  expect(dhcpVerdict(3, conditionsOf('LeaseStoreDegraded')).needed).toMatchObject({
    status: 'False',
    reason: 'LeaseStoreDegraded',
    message: 'about LeaseStoreDegraded',
  })
})

test('why a version is not served is told in the words of the engine', () => {
  expect(whyNotApplied([appliedStatement(4, [])])).toBeUndefined()
  expect(whyNotApplied(undefined)).toBeUndefined()
  const refused = appliedStatement(4, [{ reason: 'PortInUse', message: 'port 67 is taken' }])
  expect(refused).toMatchObject({ type: 'Applied', status: 'False', observedGeneration: 4 })
  expect(whyNotApplied([refused])).toBe('PortInUse: port 67 is taken')
})
