import { describe, expect, it } from 'vitest'
import { proxyServer } from '../../core/proxy/testing.ts'
import type { Result } from '../../core/result.ts'
import { nameBehind, namingServer } from '../proxy/testing/conversation.ts'
import { hello } from '../proxy/testing/hello-builder.ts'
import { connectTo, freePort, readExactly } from '../proxy/testing/loopback.ts'
import { backendTo, ProxyFixture } from '../proxy/testing/proxy-fixture.ts'
import { EnvoyFixture, vlanAddress } from './testing/envoy-fixture.ts'

/**
 * Several clusters behind one proxy: what has the same name in each (`kubernetes.default.svc`), or none, goes by who
 * asks. Which machine belongs to which cluster changes while others are connected.
 */
const shared = hello('kubernetes.default.svc')

describe.each(['envoy', 'embedded'] as const)('%s', (engine) => {
  it('leads every machine to its own cluster, and moves one without disturbing the others', async () => {
    await using c1 = await namingServer('c1')
    await using c2 = await namingServer('c2')
    await using fixture = engine === 'envoy' ? await EnvoyFixture.start() : new ProxyFixture()
    const port = await freePort()
    const serve = async (clients: { readonly c1: string[]; readonly c2: string[] }) => {
      const backends = [
        backendTo('api-c1', port, c1.port, { hostname: 'kubernetes.default.svc', default: true }),
        backendTo('api-c2', port, c2.port, { hostname: 'kubernetes.default.svc', default: true }),
      ]
      const resolved = [
        { name: 'api-c1', clients: clients.c1 },
        { name: 'api-c2', clients: clients.c2 },
      ]
      const status = { resolved: { backends: resolved } }
      if (fixture instanceof EnvoyFixture) await fixture.serve(backends, status)
      else mustServe(await fixture.engine.apply(proxyServer({ serverIP: vlanAddress, backends, status })))
    }
    const from = (source: string, first = shared) => nameBehind(port, first, vlanAddress, source)

    await serve({ c1: ['127.0.1.1', '127.0.1.2'], c2: ['127.0.2.1'] })
    expect(await Promise.all(['127.0.1.1', '127.0.1.2', '127.0.2.1', '127.0.9.9'].map((one) => from(one)))).toEqual([
      'c1',
      'c1',
      'c2',
      '',
    ])
    expect(await from('127.0.2.1', hello())).toBe('c2')

    const stream = await connectTo(port, vlanAddress, '127.0.1.1')
    stream.write(shared)
    await readExactly(stream, shared.length)
    await serve({ c1: ['127.0.1.1', '127.0.1.3'], c2: ['127.0.2.1', '127.0.1.2'] })
    expect(await Promise.all(['127.0.1.1', '127.0.1.2', '127.0.1.3'].map((one) => from(one)))).toEqual([
      'c1',
      'c2',
      'c1',
    ])
    stream.write('still?')
    expect((await readExactly(stream, 6)).toString()).toBe('still?')
    stream.destroy()
    if (fixture instanceof EnvoyFixture) {
      expect(await fixture.stat('listener_manager.listener_modified')).toBe(
        await fixture.stat('listener_manager.listener_in_place_updated'),
      )
      // Chains know nothing of sources: none is on its way out, and with none go the connections of those that stay.
      expect(await fixture.stat('total_filter_chains_draining')).toBe(0)
    }
  })
})

function mustServe(result: Result<void>): void {
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
}
