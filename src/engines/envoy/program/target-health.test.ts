import { expect, it } from 'vitest'
import { type ClustersDocument, TargetHealthBook } from './target-health.ts'

function told(total: number, failed: number, isSetAside = false): ClustersDocument {
  const stats = [
    { name: 'cx_total', value: `${total}` },
    { name: 'cx_connect_fail', value: `${failed}` },
  ]
  const address = { socket_address: { address: '10.0.0.1', port_value: 6443 } }
  const host = { address, stats, health_status: { failed_outlier_check: isSetAside } }
  return { cluster_statuses: [{ name: 'api', host_statuses: [host] }] }
}

const failing = { healthy: 0, untried: 0, lastError: '10.0.0.1:6443 could not be reached by Envoy' }

it('says nothing of a target that nobody needed', () => {
  expect(new TargetHealthBook().learn(told(0, 0)).get('api')).toEqual({ healthy: 0, untried: 1 })
})

it('remembers what the last connection told until the next one', () => {
  const book = new TargetHealthBook()
  const steps = [told(1, 0), told(2, 1, true), told(2, 1), told(3, 2), told(4, 2), told(4, 2)]
  expect(steps.map((step) => book.learn(step).get('api'))).toEqual([
    { healthy: 1, untried: 0 },
    failing,
    failing,
    failing,
    { healthy: 1, untried: 0 },
    { healthy: 1, untried: 0 },
  ])
})

it('takes counters that begin anew for no news', () => {
  const book = new TargetHealthBook()
  book.learn(told(9, 8))
  expect(book.learn(told(0, 0)).get('api')).toEqual({ healthy: 1, untried: 0 })
  expect(book.learn(told(1, 1)).get('api')).toEqual(failing)
})
