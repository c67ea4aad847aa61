import { expect, it } from 'vitest'
import { until } from '../../lab/testing.ts'
import { nameBehind, namingServer } from '../proxy/testing/conversation.ts'
import { hello } from '../proxy/testing/hello-builder.ts'
import { connectTo, freePort, readExactly } from '../proxy/testing/loopback.ts'
import { backendTo } from '../proxy/testing/proxy-fixture.ts'
import { EnvoyFixture, podAddress, vlanAddress } from './testing/envoy-fixture.ts'

/** Envoy tells oooi who came to which backend, and how it went. */

const helloTo = (backend: string) => hello(`${backend}.example.com`)

async function openFrom(source: string, port: number): Promise<Awaited<ReturnType<typeof connectTo>>> {
  const stream = await connectTo(port, vlanAddress, source)
  stream.write(helloTo('api'))
  await readExactly(stream, helloTo('api').length)
  return stream
}

/** The list as it is when it has got so long. */
function clientsOf(envoy: EnvoyFixture, count: number) {
  return until('the clients', () => {
    const { clients = [] } = envoy.engine.status()
    return clients.length === count ? clients : undefined
  })
}

it('shows who reached what as soon as it does, and what nobody can reach', async () => {
  await using api = await namingServer('api')
  await using envoy = await EnvoyFixture.start()
  const port = await freePort()
  await envoy.serve([
    backendTo('api', port, api.port, { podNetwork: true }),
    backendTo('refused', port, await freePort()),
    backendTo('empty', port, 443, { targetAddress: 'nowhere.invalid' }),
  ])
  expect(envoy.engine.status().clients).toEqual([])

  // A pod is no machine of the VLAN. It comes first, so that it would be told first.
  expect(await nameBehind(port, helloTo('api'), podAddress, '127.0.9.9')).toBe('api')
  const stream = await openFrom('127.0.1.1', port)
  const [connected] = await clientsOf(envoy, 1)
  expect(connected).toMatchObject({ address: '127.0.1.1', reached: ['api'], failing: [] })
  expect(envoy.envoyLog).not.toContain('"client":"127.0.1.1:')

  for (const backend of ['refused', 'empty']) await nameBehind(port, helloTo(backend), vlanAddress, '127.0.1.2')
  const failing = await until('both failures', () => {
    const [, second] = envoy.engine.status().clients ?? []
    return second?.failing.length === 2 ? second : undefined
  })
  expect(failing).toMatchObject({
    address: '127.0.1.2',
    reached: [],
    failing: expect.arrayContaining([
      { name: 'refused', error: 'connection refused' },
      { name: 'empty', error: 'it has no endpoints' },
    ]),
  })

  stream.destroy()
  const lines = await until('its line in the log', () => {
    const found = envoy.envoyLog.split('\n').filter((line) => line.includes('"client":"127.0.1.1:'))
    return found.length > 0 ? found : undefined
  })
  expect(lines).toHaveLength(1)
})

it('tells an oooi that was restarted, which says nothing before it can know', async () => {
  await using api = await namingServer('api')
  const [xdsPort, port] = [await freePort(), await freePort()]
  let aheadMs = 0
  await using envoy = await EnvoyFixture.start({ xdsPort, now: () => Date.now() + aheadMs })
  await envoy.engine.stop(0)
  const restart = async () => {
    envoy.engine.closeDiscovery()
    envoy.replaceEngine({ withoutEnvoy: true })
    await envoy.apply([backendTo('api', port, api.port)])
  }
  await restart()
  await using _ = envoy.startNeighbour()
  await envoy.programmed()
  const before = await openFrom('127.0.1.1', port)
  await clientsOf(envoy, 1)
  await restart()
  await envoy.programmed()
  expect(envoy.engine.status().clients).toBeUndefined()
  const after = await openFrom('127.0.1.2', port)
  aheadMs = 120_000
  expect(await clientsOf(envoy, 1)).toMatchObject([{ address: '127.0.1.2', reached: ['api'] }])
  for (const stream of [before, after]) stream.destroy()
  // The one from before is heard of again, at the latest when it ends.
  await clientsOf(envoy, 2)
})
