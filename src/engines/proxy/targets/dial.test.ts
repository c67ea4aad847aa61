import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { isRemoteUnicast } from '../../../core/proxy/target-policy.ts'
import { proxyServer } from '../../../core/proxy/testing.ts'
import { alertFor, converse, echoHello, namingServer } from '../testing/conversation.ts'
import { closeServer, connectTo, echoServer, freePort, readExactly } from '../testing/loopback.ts'
import { backendTo, ProxyFixture, proxyTo, vlanAddress } from '../testing/proxy-fixture.ts'

interface Place {
  readonly address: string
  readonly port: number
}

/** A proxy with one backend whose targets the manager resolved. */
async function proxyToService(endpoints: Place[], clusterIP?: string, targetPort = 1, timeoutSeconds = 30) {
  const proxy = new ProxyFixture()
  const port = await freePort()
  const apply = (places: Place[]) =>
    proxy.engine.apply(
      proxyServer({
        serverIP: vlanAddress,
        backends: [
          {
            name: 'echo',
            hostname: 'echo.example.com',
            port,
            targetService: 'echo',
            targetNamespace: 'default',
            targetPort,
            timeoutSeconds,
          },
        ],
        status: { resolved: { backends: [{ name: 'echo', endpoints: places, ...(clusterIP ? { clusterIP } : {}) }] } },
      }),
    )
  await apply(endpoints)
  return { proxy, port, apply }
}

describe('reaching a target', () => {
  it('goes to the next one when one is down, and then avoids it', async () => {
    await using echo = await echoServer()
    const deadPort = await freePort()
    const places = [
      { address: '127.0.0.1', port: deadPort },
      { address: '127.0.0.1', port: echo.port },
    ]
    const { proxy, port } = await proxyToService(places)
    await using _ = proxy
    for (let turn = 0; turn < 6; turn += 1) expect(await converse(port, 'hi')).toBe('hi')
    expect(proxy.engine.status().backends).toMatchObject([
      {
        endpoints: 2,
        healthy: 1,
        untried: 0,
        lastError: expect.stringContaining(`ECONNREFUSED 127.0.0.1:${deadPort}`),
      },
    ])
    expect(proxy.logLines.filter(({ msg }) => msg === 'target does not answer')).toHaveLength(1)
  })

  it('uses the address of the Service when all endpoints are stale', async () => {
    await using cluster = await namingServer('cluster')
    const stale = [await freePort(), await freePort()].map((port) => ({ address: '127.0.0.1', port }))
    const { proxy, port } = await proxyToService(stale, '127.0.0.1', cluster.port)
    await using _ = proxy
    expect(await converse(port, '')).toBe('cluster')
  })

  it('spreads connections over the targets', async () => {
    await using one = await namingServer('one')
    await using two = await namingServer('two')
    const { proxy, port } = await proxyToService(
      [one, two].map((server) => ({ address: '127.0.0.1', port: server.port })),
    )
    await using _ = proxy
    const names = await Promise.all(Array.from({ length: 10 }, () => converse(port, '')))
    expect(new Set(names)).toEqual(new Set(['one', 'two']))
  })

  it('waits for a backend that restarts', async () => {
    const targetPort = await freePort()
    const { proxy, port } = await proxyTo(targetPort)
    await using _ = proxy
    const client = await connectTo(port)
    client.write(echoHello)
    await expect.poll(() => proxy.engine.status().backends[0]?.lastError).toContain('ECONNREFUSED')
    const late = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket))
    late.listen(targetPort, '127.0.0.1')
    expect(await readExactly(client, echoHello.length)).toEqual(Buffer.from(echoHello))
    client.destroy()
    await closeServer(late)
  })

  it('gives up after the time of the backend', async () => {
    const { proxy, port } = await proxyTo(await freePort(), { backend: { timeoutSeconds: 1 } })
    await using _ = proxy
    const alert = await alertFor(port, echoHello)
    expect(proxy.connections).toMatchObject([{ reason: 'backend_unreachable', backend: 'echo' }])
    expect(alert).toBe(80)
  })

  it('gives up after so many attempts', async () => {
    const { proxy, port } = await proxyTo(await freePort(), { backend: { connectAttempts: 1 } })
    await using _ = proxy
    expect(await alertFor(port, echoHello)).toBe(80)
  })

  it('gives up when the client has left', async () => {
    const { proxy, port } = await proxyTo(await freePort())
    await using _ = proxy
    const client = await connectTo(port)
    client.write(echoHello)
    await expect.poll(() => proxy.engine.status().backends[0]?.lastError).toContain('ECONNREFUSED')
    client.resetAndDestroy()
    await expect.poll(() => proxy.connections).toMatchObject([{ reason: 'client_closed' }])
  })

  it('says so when a Service has no address yet, and follows when it gets one', async () => {
    await using echo = await echoServer()
    const { proxy, port, apply } = await proxyToService([])
    await using _ = proxy
    expect(await alertFor(port, echoHello)).toBe(80)
    expect(proxy.connections).toMatchObject([{ reason: 'no_target' }])
    expect(proxy.engine.status().problems).toMatchObject([{ reason: 'TargetUnresolved' }])
    await apply([{ address: '127.0.0.1', port: echo.port }])
    expect(await converse(port, 'hi')).toBe('hi')
  })
})

describe('a target given by name', () => {
  const byName = { targetAddress: 'target.example.net' }

  it('is resolved when it is needed, and the last answer is used on when the resolver fails', async () => {
    await using echo = await echoServer()
    let [asked, nowMs] = [0, 1_000_000]
    const lookup = async (name: string) => {
      asked += 1
      if (asked > 1 || name !== 'target.example.net') throw new Error('SERVFAIL')
      return ['127.0.0.1']
    }
    const { proxy, port } = await proxyTo(echo.port, { lookup, now: () => nowMs, backend: byName })
    await using _ = proxy
    expect(asked).toBe(0)
    expect(await converse(port, 'one')).toBe('one')
    expect(await converse(port, 'two')).toBe('two')
    expect(asked).toBe(1)
    nowMs += 60_000
    expect(await converse(port, 'three')).toBe('three')
    expect(asked).toBe(2)
  })

  it('is not followed to a place that is not allowed', async () => {
    await using echo = await echoServer()
    const { proxy, port } = await proxyTo(echo.port, {
      lookup: async () => ['127.0.0.1', '::1', '169.254.169.254'],
      isTargetAllowed: isRemoteUnicast,
      backend: { ...byName, timeoutSeconds: 1 },
    })
    await using _ = proxy
    expect(await alertFor(port, echoHello)).toBe(80)
    expect(proxy.engine.status().backends[0]?.lastError).toContain('may not be passed on')
    expect(echo.sockets.size).toBe(0)
  })

  it('is not followed back into the proxy itself', async () => {
    await using proxy = new ProxyFixture({ lookup: async () => [vlanAddress] })
    const port = await freePort()
    await proxy.apply([backendTo('echo', port, port, { ...byName, timeoutSeconds: 1 })])
    expect(await alertFor(port, echoHello)).toBe(80)
    expect(proxy.connections).toHaveLength(1)
  })
})
