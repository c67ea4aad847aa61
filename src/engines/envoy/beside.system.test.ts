import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PodEnd } from '../../controllers/pod/pod-end.ts'
import { proxyServer } from '../../core/proxy/testing.ts'
import { until } from '../../lab/testing.ts'
import { createLogger } from '../../runtime/observe/log.ts'
import { Metrics } from '../../runtime/observe/metrics.ts'
import { nameBehind, namingServer, openStream } from '../proxy/testing/conversation.ts'
import { hello } from '../proxy/testing/hello-builder.ts'
import { connectTo, freePort, readExactly } from '../proxy/testing/loopback.ts'
import { backendTo } from '../proxy/testing/proxy-fixture.ts'
import { createEnvoyEngine } from './engine.ts'
import { EnvoyFixture } from './testing/envoy-fixture.ts'

/** As in a pod: Envoy is somebody else's child, and oooi comes and goes beside it. */

const first = hello('api.example.com')

/** Whoever waits for all of it has the test end before. */
const graceBeyondTheTest = 3_600_000

async function carries(stream: Awaited<ReturnType<typeof openStream>>): Promise<boolean> {
  stream.write('still?')
  return (await readExactly(stream, 6)).toString() === 'still?'
}

it('serves on when oooi alone is restarted, and is drained when the pod ends', async () => {
  await using api = await namingServer('api')
  const [xdsPort, port, metricsPort] = [await freePort(), await freePort(), await freePort()]
  await using envoy = await EnvoyFixture.start({ xdsPort, metricsAt: { address: '127.0.0.1', port: metricsPort } })
  await envoy.engine.stop(0)
  const restartWith = async (end: PodEnd) => {
    envoy.replaceEngine({ withoutEnvoy: true, isEnvoyEnding: () => end.isComing(50) })
    await envoy.apply([backendTo('api', port, api.port)])
  }
  await restartWith(new PodEnd())
  await using _ = envoy.startNeighbour()
  await envoy.programmed()
  await until('what its probe asks', () =>
    fetch(`http://127.0.0.1:${metricsPort}/ready`).then(
      ({ ok }) => ok || undefined,
      () => undefined,
    ),
  )
  const stream = await openStream(port, first)
  await envoy.engine.stop(5000)
  expect(await nameBehind(port, first)).toBe('api')

  const end = new PodEnd()
  await restartWith(end)
  await envoy.programmed()
  expect(await carries(stream)).toBe(true)
  void end.asked()
  const stopped = envoy.engine.stop(graceBeyondTheTest)
  await until('a closed port', () =>
    connectTo(port).then(
      (socket) => void socket.destroy(),
      () => true,
    ),
  )
  expect(await carries(stream)).toBe(true)
  stream.end()
  await stopped
})

it('ends with the pod at once when nobody is connected, however long it might wait', async () => {
  await using api = await namingServer('api')
  const [xdsPort, port, metricsPort] = [await freePort(), await freePort(), await freePort()]
  const end = new PodEnd()
  const options = { xdsPort, metricsAt: { address: '127.0.0.1', port: metricsPort } }
  await using envoy = await EnvoyFixture.start({ ...options, isEnvoyEnding: () => end.isComing(50) })
  await envoy.engine.stop(0)
  envoy.replaceEngine({ withoutEnvoy: true })
  await envoy.apply([backendTo('api', port, api.port)])
  await using _ = envoy.startNeighbour()
  await envoy.programmed()
  expect(await nameBehind(port, first)).toBe('api')
  // Who reads the metrics keeps its connection, and is not waited for.
  const reader = await connectTo(metricsPort)
  reader.write('GET /ready HTTP/1.1\r\nHost: x\r\n\r\n')
  await readExactly(reader, 1)
  void end.asked()
  await envoy.engine.stop(graceBeyondTheTest)
  await expect(connectTo(port)).rejects.toThrow('ECONNREFUSED')
  reader.destroy()
})

it('tells Envoy many changes at once as few', async () => {
  await using api = await namingServer('api')
  await using envoy = await EnvoyFixture.start()
  const port = await freePort()
  const names = Array.from({ length: 60 }, (_, index) => `n${index}.example.com`)
  await envoy.serve([backendTo('api', port, api.port)])
  const before = await envoy.stat('listener_manager.lds.update_success')
  for (const [index] of names.entries()) {
    await envoy.apply([
      backendTo('api', port, api.port, { alternateHostnames: names.slice(Math.max(0, index - 8), index + 1) }),
    ])
  }
  await envoy.programmed()
  expect(await nameBehind(port, hello(names.at(-1)))).toBe('api')
  expect((await envoy.stat('listener_manager.lds.update_success')) - before).toBeLessThan(20)
  expect(envoy.engine.status().servingGeneration).toBe(61)
})

it('stays at the port that Envoy knows, and says so, when another is wanted', async () => {
  const stateDir = await mkdtemp(join(tmpdir(), 'oooi-envoy-'))
  const log = createLogger('silent', { write: () => {} })
  const engine = createEnvoyEngine({ log, metrics: new Metrics(), now: Date.now, podAddresses: [], stateDir })
  const proxy = proxyServer({ serverIP: '127.0.0.1', backends: [backendTo('api', await freePort(), 1)] })
  const at = (xdsPort: number) => engine.apply({ ...proxy, spec: { ...proxy.spec, xdsPort } })
  const [here, there] = [await freePort(), await freePort()]
  try {
    expect(await at(here)).toEqual({ ok: true, value: undefined })
    expect(await at(there)).toMatchObject({ ok: false, problems: [{ field: 'spec.xdsPort' }] })
    expect(await at(here)).toEqual({ ok: true, value: undefined })
  } finally {
    await engine.stop(0)
    await rm(stateDir, { recursive: true })
  }
})
