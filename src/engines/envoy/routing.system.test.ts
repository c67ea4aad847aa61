import { afterAll, beforeAll, expect, it } from 'vitest'
import { alertFor, nameBehind, namingServer } from '../proxy/testing/conversation.ts'
import { hello } from '../proxy/testing/hello-builder.ts'
import { freePort, type TestServer } from '../proxy/testing/loopback.ts'
import { backendTo } from '../proxy/testing/proxy-fixture.ts'
import { EnvoyFixture, podAddress } from './testing/envoy-fixture.ts'

let envoy: EnvoyFixture
let servers: TestServer[]
let port: number

beforeAll(async () => {
  envoy = await EnvoyFixture.start()
  servers = await Promise.all(['api', 'apps', 'fallback'].map((name) => namingServer(name)))
  port = await freePort()
  const [api, apps, fallback] = servers.map((server) => server.port)
  await envoy.serve([
    backendTo('api', port, api ?? 0, { podNetwork: true }),
    backendTo('apps', port, apps ?? 0, { hostname: '*.apps.example.com' }),
    backendTo('fallback', port, fallback ?? 0, { default: true }),
  ])
})

afterAll(async () => {
  await envoy[Symbol.asyncDispose]()
  for (const server of servers) await server[Symbol.asyncDispose]()
})

it.each([
  ['api.example.com', 'api'],
  ['API.example.com', 'api'],
  ['api.example.com.', 'api'],
  ['x.apps.example.com', 'apps'],
  ['x.y.apps.example.com', 'apps'],
  [undefined, 'fallback'],
  ['192.0.2.1', 'fallback'],
])('%s is led to %s', async (name, want) => {
  expect(await nameBehind(port, hello(name))).toBe(want)
})

it.each([['unknown.example.com'], ['apps.example.com']])('%s is closed', async (name) => {
  expect(await alertFor(port, hello(name))).toBeUndefined()
})

it('shows the pod network only what is meant for it', async () => {
  expect(await nameBehind(port, hello('api.example.com'), podAddress)).toBe('api')
  expect(await alertFor(port, hello('x.apps.example.com'), podAddress)).toBeUndefined()
  expect(await alertFor(port, hello(), podAddress)).toBeUndefined()
})

it('says what it did, in metrics and in its status', async () => {
  const { body } = await envoy.metrics.expose()
  expect(body).toContain('oooi_envoy_programmed 1')
  expect(envoy.engine.status()).toMatchObject({
    servingGeneration: 1,
    programmed: true,
    connectedEnvoys: 1,
    problems: [],
  })
})
