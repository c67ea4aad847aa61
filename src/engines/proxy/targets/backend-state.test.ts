import { expect, it } from 'vitest'
import type { Backend, Target } from '../../../core/proxy/backend.ts'
import { BackendState } from './backend-state.ts'

const [one, two, service]: [Target, Target, Target] = [
  { host: '10.0.0.1', port: 6443, tier: 0 },
  { host: '10.0.0.2', port: 6443, tier: 0 },
  { host: '172.30.0.9', port: 6443, tier: 1 },
]

function stateOf(...targets: Target[]): BackendState {
  const backend: Backend = {
    name: 'api',
    port: 6443,
    targets,
    podNetwork: false,
    protocol: 'tls',
    sources: undefined,
    proxyProtocol: false,
    healthCheck: undefined,
    allowedSources: undefined,
    connectTimeoutMs: 30_000,
    connectAttempts: undefined,
    maxConnections: undefined,
  }
  return new BackendState(backend)
}

it('lets equals take turns, the lower tier always behind them', () => {
  const state = stateOf(one, two, service)
  const orders = Array.from({ length: 6 }, () => state.attemptOrder(0))
  expect(new Set(orders.map(([first]) => first))).toEqual(new Set([one, two]))
  expect(orders.every((order) => order.length === 3 && order[2] === service)).toBe(true)
})

it('prefers the target with fewer connections', () => {
  const state = stateOf(one, two)
  state.opened(one)
  expect(state.attemptOrder(0)[0]).toBe(two)
  state.closed(one)
  state.opened(two)
  expect(state.attemptOrder(0)[0]).toBe(one)
})

it('asks a target that failed last, for a while', () => {
  const state = stateOf(one, two, service)
  state.failed(one, 'refused', 1000)
  state.failed(two, 'refused', 1000)
  expect(state.attemptOrder(2000)[0]).toBe(service)
  expect(state.attemptOrder(60_000)[2]).toBe(service)
  state.connected(two)
  expect(state.attemptOrder(2000)).toEqual([two, service, one])
})

it('says once that a target fails, and once that it answers again', () => {
  const state = stateOf(one)
  expect([state.failed(one, 'refused', 0), state.failed(one, 'refused', 1)]).toEqual([true, false])
  expect([state.connected(one), state.connected(one)]).toEqual([true, false])
})

it('forgets targets that are gone, and keeps the others', () => {
  const state = stateOf(one, two)
  state.failed(one, 'refused', 0)
  state.failed(two, 'timed out', 0)
  state.update({ ...state.backend, targets: [two, service] })
  expect(state.report()).toMatchObject({ endpoints: 2, healthy: 0, untried: 1, lastError: 'timed out' })
})
