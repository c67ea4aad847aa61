import { expect, it } from 'vitest'
import { alertFor, converse, echoHello, openStream } from './testing/conversation.ts'
import { hello } from './testing/hello-builder.ts'
import { echoServer } from './testing/loopback.ts'
import { proxyTo } from './testing/proxy-fixture.ts'

it('writes one line per connection', async () => {
  await using echo = await echoServer()
  const { proxy, port } = await proxyTo(echo.port)
  await using _ = proxy
  await converse(port, 'four')
  await expect.poll(() => proxy.connections.length).toBe(1)
  const bytes = echoHello.length + 4
  expect(proxy.connections).toEqual([
    {
      level: 'info',
      time: expect.any(String),
      component: 'proxy',
      msg: 'connection',
      client: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      listener: `127.0.0.1:${port}`,
      sni: 'echo.example.com',
      backend: 'echo',
      target: `127.0.0.1:${echo.port}`,
      bytesUp: bytes,
      bytesDown: bytes,
      connectMs: expect.any(Number),
      durationMs: expect.any(Number),
      reason: 'client_closed',
    },
  ])
})

it('counts connections, rejections and bytes, and bytes while they flow', async () => {
  await using echo = await echoServer()
  const { proxy, port } = await proxyTo(echo.port)
  await using _ = proxy
  await converse(port, 'four')
  await alertFor(port, hello('other.example.com'))
  await openStream(port)
  await expect.poll(() => proxy.connections.length).toBe(2)
  const bytes = 2 * echoHello.length + 4
  expect(await proxy.metric('oooi_proxy_connections_total')).toEqual([
    `oooi_proxy_connections_total{port="${port}",backend="echo",outcome="client_closed"} 1`,
  ])
  expect(await proxy.metric('oooi_proxy_rejects_total')).toEqual([
    `oooi_proxy_rejects_total{port="${port}",reason="unknown_sni"} 1`,
  ])
  expect(await proxy.metric('oooi_proxy_bytes_total')).toEqual([
    `oooi_proxy_bytes_total{backend="echo",direction="up"} ${bytes}`,
    `oooi_proxy_bytes_total{backend="echo",direction="down"} ${bytes}`,
  ])
  await expect
    .poll(() => proxy.metric('oooi_proxy_open_connections{'))
    .toEqual([`oooi_proxy_open_connections{port="${port}",backend="echo"} 1`])
  expect(await proxy.metric('oooi_proxy_connect_seconds_count')).toEqual(['oooi_proxy_connect_seconds_count 2'])
})

it('says of a backend only what was seen', async () => {
  await using echo = await echoServer()
  const { proxy, port } = await proxyTo(echo.port)
  await using _ = proxy
  const untried = { name: 'echo', endpoints: 1, healthy: 0, untried: 1, openConnections: 0 }
  expect(proxy.engine.status()).toEqual({
    servingGeneration: 1,
    listeners: [{ address: '127.0.0.1', port, side: 'vlan' }],
    backends: [untried],
    openConnections: 0,
    clients: [],
    problems: [],
  })
  await openStream(port)
  expect(proxy.engine.status().clients).toMatchObject([{ address: '127.0.0.1', reached: ['echo'], failing: [] }])
  expect(proxy.engine.status().backends).toEqual([{ ...untried, healthy: 1, untried: 0, openConnections: 1 }])
})
