import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { until } from '../../lab/testing.ts'
import { alertFor, nameBehind, namingServer, openStream } from '../proxy/testing/conversation.ts'
import { hello } from '../proxy/testing/hello-builder.ts'
import { connectTo, freePort, readExactly } from '../proxy/testing/loopback.ts'
import { backendTo } from '../proxy/testing/proxy-fixture.ts'
import { EnvoyFixture } from './testing/envoy-fixture.ts'

const [apiHello, otherHello] = [hello('api.example.com'), hello('other.example.com')]

/** Does each stream still carry bytes there and back? */
async function allEcho(streams: readonly Socket[]): Promise<boolean> {
  const echoes = streams.map(async (stream) => {
    stream.write('still?')
    return (await readExactly(stream, 6)).toString() === 'still?'
  })
  return (await Promise.all(echoes)).every(Boolean)
}

function openStreams(port: number, count: number): Promise<Socket[]> {
  return Promise.all(Array.from({ length: count }, () => openStream(port, apiHello)))
}

it('keeps 200 streams through every change of other backends, and of their own targets', async () => {
  await using api = await namingServer('api')
  await using moved = await namingServer('moved')
  await using other = await namingServer('other')
  await using envoy = await EnvoyFixture.start()
  const port = await freePort()
  const service = { targetService: 'api', targetNamespace: 'c1' }
  const { targetAddress: _, ...apiBackend } = { ...backendTo('api', port, api.port), ...service }
  const endpoints = (...ports: number[]) => ({
    resolved: {
      backends: [{ name: 'api', endpoints: ports.map((target) => ({ address: '127.0.0.1', port: target })) }],
    },
  })
  await envoy.serve([apiBackend], endpoints(api.port))
  const streams = await openStreams(port, 200)

  const otherBackend = backendTo('other', port, other.port)
  await envoy.serve([apiBackend, otherBackend], endpoints(api.port))
  expect(await nameBehind(port, otherHello)).toBe('other')
  await envoy.serve([apiBackend, { ...otherBackend, hostname: 'renamed.example.com' }], endpoints(api.port))
  expect(await nameBehind(port, hello('renamed.example.com'))).toBe('other')
  expect(await alertFor(port, otherHello)).toBeUndefined()
  expect(await allEcho(streams)).toBe(true)

  await envoy.serve([apiBackend], endpoints(api.port))
  const updates = async () => [await envoy.stat('lds.update_attempt'), await envoy.stat('cds.update_attempt')]
  const before = await updates()
  await envoy.serve([apiBackend], endpoints(moved.port))
  expect(await nameBehind(port, apiHello)).toBe('moved')
  expect(await allEcho(streams)).toBe(true)
  // Endpoints alone changed, and nothing else was sent.
  expect(await updates()).toEqual(before)

  // A cluster that changes is warmed anew, for which Envoy must be told its endpoints again.
  await envoy.serve([{ ...apiBackend, maxConnections: 5000 }], endpoints(moved.port))
  expect(await nameBehind(port, apiHello)).toBe('moved')
  expect(await allEcho(streams)).toBe(true)
  expect(await envoy.stat('listener_manager.listener_modified')).toBe(
    await envoy.stat('listener_manager.listener_in_place_updated'),
  )
  for (const stream of streams) stream.destroy()
})

it('goes to the address of the Service when every endpoint is stale', async () => {
  await using service = await namingServer('service')
  await using envoy = await EnvoyFixture.start()
  const [port, stale] = [await freePort(), await freePort()]
  const { targetAddress: _, ...backend } = {
    ...backendTo('api', port, service.port),
    targetService: 'api',
    targetNamespace: 'c1',
  }
  const endpoints = [
    { address: '127.0.0.1', port: stale },
    { address: '127.0.0.3', port: stale },
  ]
  await envoy.serve([backend], { resolved: { backends: [{ name: 'api', endpoints, clusterIP: '127.0.0.1' }] } })
  await until('the stale ones set aside', async () => {
    await nameBehind(port, apiHello)
    return (await envoy.stat('outlier_detection.ejections_active')) === 2 || undefined
  })
  for (let round = 0; round < 10; round += 1) expect(await nameBehind(port, apiHello)).toBe('service')
})

it('shows what Envoy rejects, serves the rest, and tells it again later', async () => {
  await using api = await namingServer('api')
  await using envoy = await EnvoyFixture.start({ retryRejectedMs: 300 })
  const [port, taken] = [await freePort(), createServer()]
  taken.listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const address = taken.address()
  const takenPort = typeof address === 'object' ? (address?.port ?? 0) : 0
  await envoy.apply([backendTo('api', port, api.port), backendTo('second', takenPort, api.port)])
  const problem = await until('a rejection', () => envoy.engine.status().problems[0])
  expect(problem.reason).toMatch(/EnvoyNotConnected|EnvoyRejected/)
  const rejection = await until("Envoy's words", () =>
    envoy.engine.status().problems.find(({ reason }) => reason === 'EnvoyRejected'),
  )
  expect(rejection.message).toContain(`vlan 127.0.0.1:${takenPort} (listeners)`)
  expect(rejection.message).toContain('Address already in use')
  expect(envoy.engine.status().programmed).toBe(false)
  expect(envoy.engine.status().servingGeneration).toBeUndefined()
  expect(await nameBehind(port, apiHello)).toBe('api')

  taken.close()
  await envoy.programmed()
  expect(await nameBehind(takenPort, hello('second.example.com'))).toBe('api')
  expect(envoy.engine.status().servingGeneration).toBe(1)
})

it('does nothing to a running Envoy when the control plane comes back, and leaves no orphan', async () => {
  await using api = await namingServer('api')
  const xdsPort = await freePort()
  await using outer = await EnvoyFixture.start({ xdsPort })
  const [port, oldPort] = [await freePort(), await freePort()]
  const backends = [backendTo('api', port, api.port), backendTo('old', oldPort, api.port)]
  await outer.serve(backends)
  const stream = await openStream(port, apiHello)
  const first = outer.engine
  const before = await outer.stat('listener_manager.listener_modified')

  // Only the discovery service goes; its Envoy stays with the first engine.
  const second = await handOver(outer, xdsPort)
  expect(await nameBehind(port, apiHello)).toBe('api')
  await outer.serve(backends)
  expect(await outer.stat('listener_manager.listener_modified')).toBe(before)
  expect(await allEcho([stream])).toBe(true)

  await outer.serve(backends.slice(0, 1))
  expect(await outer.stat('listener_manager.listener_removed')).toBe(1)
  expect(await outer.stat('cluster_manager.cluster_removed')).toBe(1)
  expect(await allEcho([stream])).toBe(true)
  stream.destroy()
  await second.stop(0)
  await first.stop(0)
})

/** Closes the discovery service of the running engine and puts another in its place, without an Envoy of its own. */
async function handOver(envoy: EnvoyFixture, xdsPort: number) {
  envoy.engine.closeDiscovery()
  envoy.replaceEngine({ xdsPort, withoutEnvoy: true })
  return envoy.engine
}

it('starts Envoy again when it dies, and another one after a restart of oooi', async () => {
  await using api = await namingServer('api')
  await using envoy = await EnvoyFixture.start()
  const port = await freePort()
  await envoy.serve([backendTo('api', port, api.port)])
  const pid = envoy.engine.envoyPid
  if (pid === undefined) throw new Error('no Envoy is running')
  process.kill(pid, 'SIGKILL')
  await until('another Envoy', () => (envoy.engine.envoyPid ?? pid) !== pid || undefined)
  await until('its service', async () => (await nameBehind(port, apiHello).catch(() => '')) === 'api' || undefined)

  await envoy.engine.stop(0)
  envoy.replaceEngine({})
  await envoy.serve([backendTo('api', port, api.port)])
  expect(await nameBehind(port, apiHello)).toBe('api')
  expect(envoy.engine.status().servingGeneration).toBe(2)
})

it('lets open connections end when it is stopped, while it takes no new ones', async () => {
  await using api = await namingServer('api')
  await using envoy = await EnvoyFixture.start()
  const port = await freePort()
  await envoy.serve([backendTo('api', port, api.port)])
  const stream = await openStream(port, apiHello)
  const stopped = envoy.engine.stop(20_000)
  await until('a closed port', () =>
    connectTo(port).then(
      (socket) => void socket.destroy(),
      () => true,
    ),
  )
  expect(await allEcho([stream])).toBe(true)
  stream.end()
  await stopped
  expect(envoy.engine.envoyPid).toBeUndefined()
})
