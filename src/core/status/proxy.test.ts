import { expect, test } from 'vitest'
import type { Problem } from '../result.ts'
import { type ProxyReport, proxyStatements, proxyVerdict } from './proxy.ts'

const well = { name: 'api', endpoints: 2, healthy: 1, untried: 1 }
const bad = { name: 'apps', endpoints: 1, healthy: 0, untried: 0, lastError: 'connect ECONNREFUSED 10.0.0.9:443' }
const untried = { name: 'oauth', endpoints: 1, healthy: 0, untried: 1 }
const rejected: Problem = { reason: 'EnvoyRejected', message: "Envoy rejects x: cannot bind '192.0.2.1:443'" }

function judged(report: Partial<ProxyReport>) {
  const statements = proxyStatements({ backends: [well, untried], problems: [], ...report }, 3)
  const { needed, remark } = proxyVerdict(3, statements)
  return {
    told: statements.map(({ type, status, reason }) => `${type}=${status} ${reason}`),
    messages: statements.map(({ message }) => message),
    ready: needed === undefined ? remark || true : `${needed.reason}: ${needed.message}`,
  }
}

test('all is well', () => {
  expect(judged({})).toMatchObject({
    told: ['Programmed=True Programmed', 'BackendsHealthy=True Healthy'],
    ready: true,
  })
})

test('Envoy has not answered yet, is not there, or says no', () => {
  expect(judged({ programmed: false }).told[0]).toBe('Programmed=Unknown NotServing')
  const problems: Problem[] = [{ reason: 'EnvoyNotConnected', message: 'none' }]
  expect(judged({ programmed: false, problems }).ready).toBe('EnvoyNotConnected: none')
  expect(judged({ programmed: false, problems: [rejected] })).toMatchObject({
    told: ['Programmed=False EnvoyRejected', 'BackendsHealthy=True Healthy'],
    messages: [rejected.message, ''],
    ready: `EnvoyRejected: ${rejected.message}`,
  })
})

test('one backend that cannot be reached is told beside Ready, all of them are in its way', () => {
  expect(judged({ backends: [well, bad, untried] })).toMatchObject({
    told: ['Programmed=True Programmed', 'BackendsHealthy=False BackendUnreachable'],
    ready: 'unreachable: apps: connect ECONNREFUSED 10.0.0.9:443',
  })
  expect(judged({ backends: [bad] }).ready).toBe('NoBackendReachable: apps: connect ECONNREFUSED 10.0.0.9:443')
  expect(judged({ backends: [bad, { name: 'none', endpoints: 0, healthy: 0, untried: 0 }] }).told[1]).toBe(
    'BackendsHealthy=False NoBackendReachable',
  )
})
