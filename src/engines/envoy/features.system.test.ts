import { once } from 'node:events'
import { request } from 'node:http'
import { expect, it } from 'vitest'
import { run } from '../../lab/host/command.ts'
import { until } from '../../lab/testing.ts'
import { answerTo, nameBehind, namingServer } from '../proxy/testing/conversation.ts'
import { bytesOf, hello } from '../proxy/testing/hello-builder.ts'
import { connectTo, freePort, readExactly, TestServer } from '../proxy/testing/loopback.ts'
import { backendTo } from '../proxy/testing/proxy-fixture.ts'
import { EnvoyFixture } from './testing/envoy-fixture.ts'

const apiHello = hello('api.example.com')

it('has its administration on a Unix socket only, and lets metrics be read and nothing else', async () => {
  await using api = await namingServer('api')
  const metricsPort = await freePort()
  await using envoy = await EnvoyFixture.start({ metricsAt: { address: '127.0.0.1', port: metricsPort } })
  const port = await freePort()
  await envoy.serve([backendTo('api', port, api.port)])
  const sockets = await run('ss', ['--listening', '--tcp', '--numeric', '--processes'])
  const own = sockets.split('\n').filter((line) => line.includes(`pid=${envoy.engine.envoyPid},`))
  const places = new Set(own.map((line) => line.trim().split(/\s+/)[3]))
  expect([...places].sort()).toEqual([`127.0.0.1:${metricsPort}`, `127.0.0.1:${port}`].sort())

  expect(await ask(metricsPort, 'GET', '/ready')).toBe(200)
  expect(await ask(metricsPort, 'GET', '/stats/prometheus')).toBe(200)
  for (const path of ['/quitquitquit', '/config_dump', '/', '/stats/prometheus/', '/ready/../config_dump']) {
    expect(await ask(metricsPort, 'GET', path)).toBe(404)
    expect(await ask(metricsPort, 'POST', path)).toBe(404)
  }
  expect(await ask(metricsPort, 'POST', '/ready')).toBe(404)
})

async function ask(port: number, method: string, path: string): Promise<number | undefined> {
  const asked = request({ host: '127.0.0.1', port, method, path, agent: false })
  asked.end()
  const [response] = await once(asked, 'response')
  response.resume()
  return response.statusCode
}

it('tells the target who the client is, where that is asked for', async () => {
  await using target = await namingServer('api')
  await using envoy = await EnvoyFixture.start()
  const port = await freePort()
  await envoy.serve([backendTo('api', port, target.port, { proxyProtocol: true })])
  const client = await connectTo(port)
  client.write(apiHello)
  const header = await readExactly(client, 28)
  expect(header.subarray(0, 12).toString('latin1')).toBe('\r\n\r\n\0\r\nQUIT\n')
  expect([...header.subarray(12, 16)]).toEqual([0x21, 0x11, 0, 12])
  expect(header.readUInt16BE(24)).toBe(client.localPort)
  client.destroy()
})

it('leads plain HTTP by its Host, and says not found to a name that nobody has', async () => {
  const respond = (name: string) =>
    new TestServer((socket) => {
      const body = `HTTP/1.1 200 OK\r\nContent-Length: ${name.length}\r\n\r\n${name}`
      socket.on('data', () => socket.write(body))
    }).start()
  await using web = await respond('web')
  await using site = await respond('site')
  await using envoy = await EnvoyFixture.start()
  const port = await freePort()
  await envoy.serve([
    backendTo('web', port, web.port, { hostname: '*.apps.example.com', protocol: 'HTTP' }),
    backendTo('site', port, site.port, { hostname: 'site.example.com', protocol: 'HTTP', default: true }),
  ])
  const get = async (host: string) => {
    const asked = request({ host: '127.0.0.1', port, path: '/a%2f..//b', headers: { Host: host }, agent: false })
    asked.end()
    const [response] = await once(asked, 'response')
    const [body] = await Promise.all([response.toArray(), once(response, 'end').catch(() => {})])
    return `${response.statusCode} ${Buffer.concat(body).toString()}`
  }
  expect(await get('x.apps.example.com')).toBe('200 web')
  expect(await get('Site.example.com:80')).toBe('200 site')
  expect(await get('127.0.0.1')).toBe('200 site')
  expect(await get('unknown.example.com')).toBe('404 ')
})

it('passes on whatever is spoken on a raw port, and lets the server speak first', async () => {
  await using greeter = await new TestServer((socket) => {
    socket.write('SSH-2.0-greeter\r\n')
    socket.pipe(socket)
  }).start()
  await using envoy = await EnvoyFixture.start()
  const [port, closed] = [await freePort(), await freePort()]
  const raw = { protocol: 'Raw' } as const
  await envoy.serve([
    backendTo('greeter', port, greeter.port, raw),
    backendTo('closed', closed, greeter.port, { ...raw, allowedSourceCIDRs: ['10.0.0.0/8'] }),
  ])
  const client = await connectTo(port)
  expect((await readExactly(client, 17)).toString()).toBe('SSH-2.0-greeter\r\n')
  for (const said of ['plain text', '\x16\x03\x01 no hello']) {
    client.write(said)
    expect((await readExactly(client, said.length)).toString()).toBe(said)
  }
  client.destroy()
  expect(await answerTo(closed, bytesOf('let me in'))).toHaveLength(0)
})

it('tells how the targets are, as Envoy sees them', async () => {
  await using api = await namingServer('api')
  await using envoy = await EnvoyFixture.start({ askHealthMs: 100 })
  const [port, dead] = [await freePort(), await freePort()]
  await envoy.serve([backendTo('api', port, api.port), backendTo('dead', port, dead)])
  expect(await nameBehind(port, apiHello)).toBe('api')
  expect(await nameBehind(port, hello('dead.example.com'))).toBe('')
  const reports = await until('the health of both', () => {
    const { backends } = envoy.engine.status()
    return backends.some(({ healthy }) => healthy === 1) && backends.some(({ lastError }) => lastError)
      ? backends
      : undefined
  })
  expect(reports).toMatchObject([
    { name: 'api', endpoints: 1, healthy: 1 },
    { name: 'dead', endpoints: 1, healthy: 0, lastError: expect.stringContaining(`127.0.0.1:${dead}`) },
  ])
})

it('follows the name of a target, but not to a place that is not allowed', async () => {
  await using first = await namingServer('first')
  let answer = ['127.0.0.1', '127.0.0.66']
  const now = { ms: 0 }
  await using envoy = await EnvoyFixture.start({
    lookup: async () => answer,
    now: () => now.ms,
    isTargetAllowed: (address) => address !== '127.0.0.66',
  })
  const port = await freePort()
  const backend = backendTo('api', port, first.port, { targetAddress: 'api.internal.example' })
  await envoy.serve([backend])
  expect(await nameBehind(port, apiHello)).toBe('first')
  expect(envoy.engine.status().backends).toMatchObject([{ name: 'api', endpoints: 1 }])
  answer = ['127.0.0.66']
  now.ms = 60_000
  await envoy.serve([backend])
  expect(await nameBehind(port, apiHello)).toBe('')
})
