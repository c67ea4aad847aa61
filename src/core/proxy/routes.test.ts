import { describe, expect, it } from 'vitest'
import { type Choice, chooseBackend } from './choose.ts'
import { hasNames, podSideOf, routesOf } from './routes.ts'
import { type BackendInput, backend, proxyServer } from './testing.ts'

const anySource = '192.168.100.50'

function routeBackends(...backends: BackendInput[]) {
  return routesOf(proxyServer({ backends }))
}

/** Which backend a name leads to, or why to none. */
function lead(backends: BackendInput[], port: number, serverName?: string, sourceAddress = anySource): string {
  const routes = routesOf(proxyServer({ backends })).ports.get(port)
  return routes ? shortly(chooseBackend(routes.tls, { serverName, sourceAddress })) : 'no such port'
}

function shortly(choice: Choice): string {
  return choice.kind === 'backend' ? choice.backend.name : choice.refusal
}

function reasonsOf(...backends: BackendInput[]): string[] {
  return routeBackends(...backends).problems.map((problem) => `${problem.reason} ${problem.field}`)
}

describe('names', () => {
  const backends = [
    backend('api', { hostname: 'api.c1.example.com', alternateHostnames: ['api-int.c1.example.com', 'kubernetes'] }),
    backend('apps', { hostname: '*.apps.c1.example.com' }),
    backend('deep', { hostname: '*.deep.apps.c1.example.com' }),
    backend('console', { hostname: 'console.apps.c1.example.com' }),
    backend('elsewhere', { hostname: 'api.c1.example.com', port: 6443 }),
  ]

  it.each([
    ['api.c1.example.com', 'api'],
    ['api-int.c1.example.com', 'api'],
    ['kubernetes', 'api'],
    ['console.apps.c1.example.com', 'console'],
    ['other.apps.c1.example.com', 'apps'],
    ['a.b.apps.c1.example.com', 'apps'],
    ['x.deep.apps.c1.example.com', 'deep'],
    ['deep.apps.c1.example.com', 'apps'],
    ['apps.c1.example.com', 'unknown_sni'],
    ['xapps.c1.example.com', 'unknown_sni'],
    ['example.com', 'unknown_sni'],
    ['com', 'unknown_sni'],
  ])('%s leads to %s', (serverName, want) => {
    expect(lead(backends, 443, serverName)).toBe(want)
  })

  it('are apart on each port', () => {
    expect(lead(backends, 6443, 'api.c1.example.com')).toBe('elsewhere')
    expect(lead(backends, 6443, 'console.apps.c1.example.com')).toBe('unknown_sni')
    expect(lead(backends, 8443, 'api.c1.example.com')).toBe('no such port')
  })
})

describe('the default of a port', () => {
  it('is the backend that says so', () => {
    const backends = [backend('a'), backend('b', { default: true })]
    expect(lead(backends, 443)).toBe('b')
    expect(lead(backends, 443, 'unknown.example.com')).toBe('unknown_sni')
  })

  it('is kube-apiserver on the API port, unless another says so', () => {
    const api = backend('kube-apiserver', { port: 6443 })
    expect(lead([backend('other', { port: 6443 }), api], 6443)).toBe('kube-apiserver')
    expect(lead([api, backend('other', { port: 6443, default: true })], 6443)).toBe('other')
  })

  it('is nobody elsewhere', () => {
    expect(lead([backend('kube-apiserver')], 443)).toBe('no_sni')
    expect(lead([backend('konnectivity-server')], 443)).toBe('no_sni')
    expect(lead([backend('other', { port: 6443 })], 6443)).toBe('no_sni')
  })
})

describe('sources', () => {
  const backends = [
    backend('closed', { hostname: 'x.apps.example.com', allowedSourceCIDRs: ['10.0.0.0/8', '192.168.100.7/32'] }),
    backend('open', { hostname: '*.apps.example.com' }),
  ]

  it.each([
    ['10.1.2.3', 'closed'],
    ['192.168.100.7', 'closed'],
    ['192.168.100.8', 'source_denied'],
    ['2001:db8::1', 'source_denied'],
  ])('from %s to %s', (source, want) => {
    expect(lead(backends, 443, 'x.apps.example.com', source)).toBe(want)
  })
})

describe('routes by source', () => {
  const backends = [
    backend('c1', { hostname: 'kubernetes', default: true, sourcePrefixRanges: ['192.168.100.0/25'] }),
    backend('c2', { hostname: 'kubernetes', default: true, sourcePrefixRanges: ['192.168.100.0/24'] }),
    backend('guests', { hostname: '*.c3.example.com' }),
    backend('own', { hostname: 'api.c3.example.com', sourcePrefixRanges: ['10.0.0.0/8'] }),
  ]

  it.each([
    ['kubernetes', '192.168.100.7', 'c1'],
    ['kubernetes', '192.168.100.200', 'c2'],
    ['kubernetes', '192.168.101.1', 'source_denied'],
    [undefined, '192.168.100.7', 'c1'],
    [undefined, '192.168.100.200', 'c2'],
    ['api.c3.example.com', '10.1.1.1', 'own'],
    ['api.c3.example.com', '192.168.100.7', 'source_denied'],
    ['x.c3.example.com', '192.168.100.7', 'guests'],
  ])('%s from %s leads to %s', (serverName, source, want) => {
    expect(lead(backends, 443, serverName, source)).toBe(want)
    expect(reasonsOf(...backends)).toEqual([])
  })

  it('have the clients of a cluster too, as far as they are known', () => {
    const proxy = proxyServer({
      backends: [backend('c1', { hostname: 'kubernetes' }), backend('c2', { hostname: 'kubernetes' })],
      status: {
        resolved: {
          backends: [
            { name: 'c1', clients: ['192.168.100.7'] },
            { name: 'c2', clients: [] },
          ],
        },
      },
    })
    const routes = routesOf(proxy)
    const tls = routes.ports.get(443)?.tls
    const to = (sourceAddress: string) =>
      tls && shortly(chooseBackend(tls, { serverName: 'kubernetes', sourceAddress }))
    expect([to('192.168.100.7'), to('192.168.100.8'), routes.problems.length]).toEqual(['c1', 'source_denied', 0])
  })

  it('of one cluster are for nobody as long as none of its clients is known', () => {
    const clusters = ['c1', 'c2'].map((name) =>
      backend(name, { hostname: 'kubernetes', default: true, clientCluster: `clusters-${name}` }),
    )
    expect(lead(clusters, 443, 'kubernetes')).toBe('source_denied')
    expect(lead(clusters, 443)).toBe('source_denied')
    expect(reasonsOf(...clusters)).toEqual([])
  })

  it('may not be for the same network twice', () => {
    const both = { hostname: 'kubernetes', sourcePrefixRanges: ['192.168.100.0/25'] }
    expect(reasonsOf(backend('a', both), backend('b', both))).toEqual(['DuplicateHostname spec.backends[1].hostname'])
  })
})

describe('plain HTTP', () => {
  it('has names of its own on a port', () => {
    const routes = routeBackends(
      backend('web', { hostname: '*.apps.example.com', port: 80, protocol: 'HTTP' }),
      backend('tls', { hostname: 'x.apps.example.com', port: 80 }),
    ).ports.get(80)
    const request = { serverName: 'x.apps.example.com', sourceAddress: anySource }
    expect(
      routes && [shortly(chooseBackend(routes.http, request)), shortly(chooseBackend(routes.tls, request))],
    ).toEqual(['web', 'tls'])
  })
})

describe('a raw backend', () => {
  const raw = (name: string, more: Partial<BackendInput> = {}) => backend(name, { port: 22, protocol: 'Raw', ...more })
  const leadRaw = (sourceAddress: string, ...backends: BackendInput[]) => {
    const routes = routeBackends(...backends).ports.get(22)
    return routes && shortly(chooseBackend(routes.raw, { serverName: undefined, sourceAddress }))
  }

  it('has its port for itself, and no names', () => {
    const routes = routeBackends(raw('ssh')).ports.get(22)
    expect(leadRaw(anySource, raw('ssh'))).toBe('ssh')
    expect(routes && [hasNames(routes.tls), hasNames(routes.http), hasNames(routes.raw)]).toEqual([false, false, false])
    expect(reasonsOf(raw('ssh'), raw('other'))).toEqual(['DuplicateDefault spec.backends[1].port'])
    expect(leadRaw(anySource, raw('ssh'), raw('other'))).toBe('ssh')
  })

  it('may be one for each network', () => {
    const both = [raw('a', { sourcePrefixRanges: ['10.0.0.0/8'] }), raw('b'), raw('c', { port: 23 })]
    expect(reasonsOf(...both)).toEqual([])
    expect([leadRaw('10.1.2.3', ...both), leadRaw('192.168.1.1', ...both)]).toEqual(['a', 'b'])
  })

  it('is for pods only if it says so', () => {
    const podSide = (more: Partial<BackendInput>) => {
      const routes = routeBackends(raw('ssh', more)).ports.get(22)
      return routes && podSideOf(routes)
    }
    expect([podSide({ podNetwork: true })?.port, podSide({})]).toEqual([22, undefined])
  })
})

describe('what cannot be served is a problem, and the rest is served', () => {
  it('a name that another backend has', () => {
    const [first, second] = [
      backend('first', { hostname: 'api.example.com' }),
      backend('second', { hostname: 'api.example.com', alternateHostnames: ['own.example.com'] }),
    ]
    expect(reasonsOf(first, second)).toEqual(['DuplicateHostname spec.backends[1].hostname'])
    expect(lead([first, second], 443, 'api.example.com')).toBe('first')
    expect(lead([first, second], 443, 'own.example.com')).toBe('second')
  })

  it('a wildcard that another backend has', () => {
    const wild = { hostname: '*.apps.example.com' }
    expect(reasonsOf(backend('a', wild), backend('b', wild))).toEqual(['DuplicateHostname spec.backends[1].hostname'])
  })

  it('but not a name that one backend gives twice', () => {
    const repeated = { hostname: 'a.example.com', alternateHostnames: ['a.example.com'] }
    expect(reasonsOf(backend('a', repeated))).toEqual([])
  })

  it('a second default', () => {
    expect(reasonsOf(backend('a', { default: true }), backend('b', { default: true }))).toEqual([
      'DuplicateDefault spec.backends[1].default',
    ])
  })

  it('a second backend of the same name', () => {
    expect(reasonsOf(backend('a'), backend('a', { hostname: 'b.example.com' }))).toEqual([
      'DuplicateBackend spec.backends[1].name',
    ])
  })

  it('a target on this host, or the proxy itself', () => {
    expect(
      reasonsOf(
        backend('a', { targetAddress: '127.0.0.1' }),
        backend('b', { targetAddress: '169.254.169.254' }),
        backend('c', { targetAddress: '192.168.100.4', targetPort: 443 }),
        backend('d', { targetAddress: '192.168.100.4', targetPort: 9000 }),
      ),
    ).toEqual([
      'TargetNotPermitted spec.backends[0]',
      'TargetNotPermitted spec.backends[1]',
      'TargetNotPermitted spec.backends[2]',
    ])
  })
})

describe('targets', () => {
  const service = backend('kube-apiserver', { targetService: 'kube-apiserver', targetNamespace: 'clusters-c1' })

  it('of a Service are its endpoints, then its own address', () => {
    const proxy = proxyServer({
      backends: [service],
      status: {
        resolved: {
          backends: [
            { name: 'kube-apiserver', endpoints: [{ address: '10.1.0.5', port: 7443 }], clusterIP: '172.30.5.5' },
          ],
        },
      },
    })
    expect(routesOf(proxy).backends[0]?.targets).toEqual([
      { host: '10.1.0.5', port: 7443, tier: 0 },
      { host: '172.30.5.5', port: 6443, tier: 1 },
    ])
  })

  it('of a Service that nobody resolved are a problem, while the name stays known', () => {
    expect(reasonsOf(service)).toEqual(['TargetUnresolved spec.backends[0]'])
    expect(lead([service], 443, 'kube-apiserver.example.com')).toBe('kube-apiserver')
  })

  it('may be given by name', () => {
    const routes = routeBackends(backend('registry', { targetAddress: 'registry.example.net', targetPort: 5000 }))
    expect(routes.backends[0]?.targets).toEqual([{ host: 'registry.example.net', port: 5000, tier: 0 }])
    expect(routes.problems).toEqual([])
  })
})

describe('the pod network', () => {
  it('sees only the backends meant for it', () => {
    const routes = routeBackends(
      backend('api', { hostname: 'api.example.com', podNetwork: true }),
      backend('apps', { hostname: '*.apps.example.com', podNetwork: true }),
      backend('ignition', { hostname: 'ignition.example.com', default: true }),
      backend('konnectivity', { port: 8091 }),
    )
    const [vlan, other] = [routes.ports.get(443), routes.ports.get(8091)]
    const pod = vlan && podSideOf(vlan)
    expect([...(pod?.tls.exact.keys() ?? [])]).toEqual(['api.example.com'])
    expect([...(pod?.tls.wildcard.keys() ?? [])]).toEqual(['apps.example.com'])
    expect(pod?.tls.default).toBeUndefined()
    expect(vlan?.tls.default?.otherwise?.name).toBe('ignition')
    expect(other && podSideOf(other)).toBeUndefined()
  })
})
