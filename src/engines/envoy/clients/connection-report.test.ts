import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { routesOf } from '../../../core/proxy/routes.ts'
import { backend, proxyServer } from '../../../core/proxy/testing.ts'
import { type ConnectionEntry, connectionEnd } from './access-log-service.ts'
import { connectionReportOf } from './connection-report.ts'

type Properties = NonNullable<ConnectionEntry['commonProperties']>

const { ports } = routesOf(proxyServer({ backends: [backend('api'), backend('ignition')] }))
const [upstreamConnected, periodic] = [1, 2]

function at(address: string, port: number): NonNullable<Properties['downstreamLocalAddress']> {
  return {
    address: { case: 'socketAddress', value: { address, portSpecifier: { case: 'portValue', value: port } } },
  }
}

function reportOf(fields: Partial<Properties>) {
  const commonProperties = {
    accessLogType: connectionEnd,
    downstreamDirectRemoteAddress: at('192.168.100.101', 50_000),
    downstreamLocalAddress: at('192.168.100.4', 443),
    tlsProperties: { tlsSniHostname: 'API.example.com.' },
    upstreamCluster: 'api',
    upstreamTransportFailureReason: '',
    ...fields,
  }
  return connectionReportOf({ commonProperties }, ports)
}

const failed = { noHealthyUpstream: false, upstreamOverflow: false }
const client = '192.168.100.101'

describe('a connection', () => {
  it.each([upstreamConnected, periodic, connectionEnd])(
    'that has a target reached its backend (%s)',
    (accessLogType) => {
      const reached = { accessLogType, upstreamLocalAddress: at('10.0.0.4', 40_000) }
      expect(reportOf(reached)).toEqual({ client, backend: 'api', error: undefined })
      // An attempt before the one that succeeded leaves its traces.
      const reason = { upstreamTransportFailureReason: 'delayed connect error: Connection refused' }
      expect(reportOf({ ...reached, ...reason, responseFlags: failed })).toMatchObject({ error: undefined })
    },
  )

  it('that ends without one failed, with the reason in few words', () => {
    const reason = { upstreamTransportFailureReason: 'delayed connect error: Connection refused' }
    expect(reportOf({ ...reason, responseFlags: failed })).toEqual({
      client,
      backend: 'api',
      error: 'connection refused',
    })
    expect(reportOf({ responseFlags: failed })).toMatchObject({ error: 'no answer' })
  })

  it('that waits for one, or that a rule or a limit turned away, tells nothing', () => {
    expect(reportOf({ accessLogType: periodic })).toBeUndefined()
    expect(reportOf({ upstreamCluster: '' })).toBeUndefined()
    expect(reportOf({ responseFlags: { ...failed, upstreamOverflow: true } })).toBeUndefined()
  })

  it('to a backend without targets is known by the name that was asked for', () => {
    const nobody = { upstreamCluster: '', responseFlags: { ...failed, noHealthyUpstream: true } }
    expect(reportOf(nobody)).toEqual({ client, backend: 'api', error: 'it has no endpoints' })
    expect(reportOf({ ...nobody, tlsProperties: { tlsSniHostname: 'other.example.com' } })).toBeUndefined()
    expect(reportOf({ ...nobody, downstreamLocalAddress: at('192.168.100.4', 6443) })).toBeUndefined()
  })
})

const anything = fc.record(
  {
    accessLogType: fc.nat(20),
    downstreamDirectRemoteAddress: fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()).map((text) => at(text, 1)),
    downstreamLocalAddress: fc.nat(65_535).map((port) => at('192.168.100.4', port)),
    upstreamLocalAddress: fc.constant(at('10.0.0.4', 1)),
    tlsProperties: fc.record({ tlsSniHostname: fc.string() }),
    upstreamCluster: fc.string(),
    upstreamTransportFailureReason: fc.string(),
    responseFlags: fc.record({ noHealthyUpstream: fc.boolean(), upstreamOverflow: fc.boolean() }),
  },
  { requiredKeys: ['accessLogType', 'upstreamCluster', 'upstreamTransportFailureReason'] },
)

it('whatever an entry says, a report is about a client that has an address', () => {
  fc.assert(
    fc.property(anything, (commonProperties) => {
      const report = connectionReportOf({ commonProperties }, ports)
      if (report) expect(report.client).toMatch(/^[0-9a-f.:]+$/i)
    }),
  )
})
