import { expect, it } from 'vitest'
import { backend, proxyServer } from '../core/proxy/testing.ts'
import { createLogger } from '../runtime/observe/log.ts'
import { Metrics } from '../runtime/observe/metrics.ts'
import { createChosenProxyEngine } from './chosen-proxy.ts'
import { freePort } from './proxy/testing/loopback.ts'

it('is the embedded one unless the object says otherwise, and does not change while it runs', async () => {
  const engine = createChosenProxyEngine({
    log: createLogger('silent', { write: () => {} }),
    metrics: new Metrics(),
    now: Date.now,
    podAddresses: [],
    stateDir: '/nonexistent',
  })
  const proxy = proxyServer({ serverIP: '127.0.0.1', backends: [backend('api', { port: await freePort() })] })
  expect(await engine.apply(proxy)).toEqual({ ok: true, value: undefined })
  expect(engine.status().listeners).toHaveLength(1)
  const other = { ...proxy, spec: { ...proxy.spec, engine: 'envoy' as const } }
  expect(await engine.apply(other)).toMatchObject({ ok: false, problems: [{ field: 'spec.engine' }] })
  await engine.stop(0)
})
