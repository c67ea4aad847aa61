import { expect, test } from 'vitest'
import { Informer } from '../cache/informer.ts'
import { KubeClient } from '../kube/client.ts'
import { configMap } from '../kube/kinds.ts'
import { Transport } from '../kube/transport.ts'
import { createLogger } from '../observe/log.ts'
import { Metrics } from '../observe/metrics.ts'
import { FakeClock } from '../time/fake-clock.ts'
import { Controller } from './controller.ts'
import { registerRuntimeMetrics } from './metrics.ts'

test('everything is there from the first scrape', async () => {
  const clock = new FakeClock()
  const log = createLogger('silent', { write: () => undefined })
  const credentials = async () => ({ headers: {}, tls: { verify: true } })
  const access = { server: 'http://127.0.0.1:1', namespace: 'default', origin: 'test', credentials }
  const transport = new Transport(access, { clock, random: () => 0, userAgent: 'test' })
  const client = new KubeClient(transport, 'test')
  const informer = new Informer({ client, kind: configMap, clock, random: () => 0, log })
  const controller = new Controller({ name: 'things', reconcile: async () => undefined, clock, log })
  const metrics = new Metrics()
  registerRuntimeMetrics(metrics, 'test', { transport, informers: [informer], controllers: [controller] })
  controller.trigger('a')
  controller.start()
  await clock.advance(1)
  const { body } = await metrics.expose()
  expect(body).toContain('test_reconciles_total{controller="things",result="done"} 1')
  expect(body).toContain('test_queue_waiting{controller="things"} 0')
  expect(body).toContain('test_cache_synced{kind="ConfigMap"} 0')
  expect(body).toContain('test_cache_happenings_total{kind="ConfigMap",what="lists"} 0')
  expect(body).toContain('test_api_retries_total 0')
  expect(body).toContain('test_leader 1')
  expect(body).toMatch(/test_event_loop_delay_seconds \d/)
})
