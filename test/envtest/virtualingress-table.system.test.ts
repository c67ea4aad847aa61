import { beforeEach, expect, test } from 'vitest'
import { describeWithControlPlane } from './availability.ts'
import { installKinds } from './installed-kinds.ts'
import { type AnyObject, condition, is, until, worldOf } from './operator-world.ts'
import { useSharedControlPlane } from './use.ts'
import { useOperator } from './use-operator.ts'
import { brief, endpoints, leads, path, service, virtualIngress } from './virtualingress-world.ts'

describeWithControlPlane('a VirtualIngress', () => {
  const plane = useSharedControlPlane({ prepare: [installKinds] })
  useOperator(plane, { controllers: ['virtualingress'] })
  let namespace = ''
  const world = () => worldOf(plane())

  beforeEach(async () => {
    namespace = await plane().newNamespace()
  })

  const vi = (name: string, isSo?: (object: AnyObject) => boolean) =>
    world().eventually('virtualingresses', namespace, name, isSo)
  const ingress = (name: string, isSo?: (object: AnyObject) => boolean) =>
    world().eventually('ingresses', namespace, `${name}-generated`, isSo)
  const leadsTo = (wanted: Record<string, string>) => (object: AnyObject) =>
    JSON.stringify(leads(object)) === JSON.stringify(wanted)
  const noIngress = async (name: string) =>
    expect(await world().get('ingresses', namespace, `${name}-generated`)).toBeUndefined()
  const events = async (name: string): Promise<string[]> =>
    (await world().events(namespace))
      .filter(({ regarding }) => regarding.name === name)
      .map(({ reason, note }) => `${reason}: ${note}`)
  const told = (name: string, text: string) =>
    until(`event ${text}`, async () => (await events(name)).some((event) => event.includes(text)))

  test('the example of the brief becomes the Ingress it shows', async () => {
    const annotations = {
      'cert-manager.io/cluster-issuer': 'letsencrypt-prod',
      'nginx.ingress.kubernetes.io/proxy-http-version': '1.1',
      'nginx.ingress.kubernetes.io/proxy-buffering': 'off',
      'nginx.ingress.kubernetes.io/proxy-read-timeout': '3600',
      'nginx.ingress.kubernetes.io/proxy-send-timeout': '3600',
    }
    const host = 'coder.enigma.vgijssel.nl'
    const tls = [
      { hosts: [host], secretName: 'coder-tls' },
      { hosts: [`*.${host}`], secretName: 'coder-wildcard-tls' },
    ]
    const route = (backend: object) => [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }]
    const name = 'a18c2be1873b84bcd8630e79298a07cf'
    const source = {
      ...virtualIngress(namespace, 'coder', {}, { annotations }),
      spec: {
        ingressClassName: 'tenant-root',
        tls,
        rules: route({ service: { matchLabels: brief, port: { number: 80 } } }),
      },
    }
    await world().apply(service(namespace, name, brief), source)
    const made = await ingress('coder')
    expect(made.metadata.annotations).toEqual(annotations)
    expect(made.metadata.ownerReferences).toMatchObject([{ kind: 'VirtualIngress', name: 'coder', controller: true }])
    expect(made.spec).toEqual({
      ingressClassName: 'tenant-root',
      tls,
      rules: route({ service: { name, port: { number: 80 } } }),
    })
    const seen = await vi('coder', is('Ready', 'True'))
    expect(seen.status).toMatchObject({
      summary: '1/1',
      generatedIngress: { name: 'coder-generated', uid: made.metadata.uid },
      resolvedBackends: [{ state: 'Resolved', name, host, path: '/', port: '80' }],
    })
    for (const type of ['Accepted', 'ResolvedRefs', 'Programmed']) expect(condition(seen, type)?.status).toBe('True')
    const table = await plane().kubectl(['get', 'vi', 'coder', '-n', namespace])
    expect(table).toMatch(/coder +tenant-root +coder\.enigma\.vgijssel\.nl +1\/1 +True/)
  })

  test('none matches: Hold makes nothing, Unavailable answers 503, Withdraw makes nothing', async () => {
    await world().apply(
      virtualIngress(namespace, 'none-hold', { paths: [path('/', 'none')] }),
      virtualIngress(namespace, 'none-503', { paths: [path('/', 'none')], selection: { noMatch: 'Unavailable' } }),
      virtualIngress(namespace, 'none-gone', { paths: [path('/', 'none')], selection: { noMatch: 'Withdraw' } }),
    )
    const held = await vi('none-hold', is('Ready', 'False', 'NoMatchingService'))
    expect(condition(held, 'ResolvedRefs')?.message).toContain('there is no Service with app=none')
    expect(condition(held, 'Programmed')?.reason).toBe('NotPublished')
    expect(held.status.summary).toBe('0/1')
    await told('none-hold', 'NoMatchingService')
    await vi('none-gone', is('Ready', 'False', 'NoMatchingService'))
    await noIngress('none-hold')
    await noIngress('none-gone')

    const made = await ingress('none-503')
    const stub = await world().eventually('services', namespace, leads(made)['/'] ?? '')
    expect(stub.spec).toMatchObject({ ports: [{ port: 80 }] })
    expect(stub.spec.selector).toBeUndefined()
    await world().apply(service(namespace, 'came', { app: 'none' }))
    await Promise.all(['none-hold', 'none-503', 'none-gone'].map((name) => ingress(name, leadsTo({ '/': 'came' }))))
    await world().gone('services', namespace, stub.metadata.name)

    await world().remove('services', namespace, 'came')
    await ingress('none-503', leadsTo({ '/': stub.metadata.name }))
    await world().gone('ingresses', namespace, 'none-gone-generated')
    const kept = await vi('none-hold', is('Ready', 'False', 'NoMatchingService'))
    expect(leads(await ingress('none-hold'))).toEqual({ '/': 'came' })
    expect(kept.status.resolvedBackends[0]).toMatchObject({ state: 'NoMatch', name: 'came' })
  })

  test('a path keeps its last Service while the others follow theirs, and none is ever left out', async () => {
    const paths = [path('/admin', 'last-a'), path('/', 'last-b')]
    await world().apply(
      service(namespace, 'last-a1', { app: 'last-a' }),
      service(namespace, 'last-b1', { app: 'last-b' }),
      virtualIngress(namespace, 'last', { paths }),
    )
    await ingress('last', leadsTo({ '/admin': 'last-a1', '/': 'last-b1' }))
    await world().remove('services', namespace, 'last-a1')
    await vi('last', ({ status }) => status?.summary === '1/2')
    await world().remove('services', namespace, 'last-b1')
    await world().apply(service(namespace, 'last-b2', { app: 'last-b' }))
    await ingress('last', leadsTo({ '/admin': 'last-a1', '/': 'last-b2' }))

    // One that never had a Service answers 503; it is not left to the shorter path.
    await world().apply(virtualIngress(namespace, 'last', { paths: [path('/new', 'last-c'), ...paths] }))
    const made = await ingress('last', (object) => leads(object)['/new'] !== undefined)
    expect(leads(made)).toMatchObject({
      '/admin': 'last-a1',
      '/': 'last-b2',
      '/new': expect.stringContaining('unavailable'),
    })
  })

  test('many match: an error that names them, unless it is said which one', async () => {
    const choice = (name: string, multipleMatches: 'Error' | 'Newest' | 'Oldest' | 'FirstByName') =>
      virtualIngress(namespace, name, { paths: [path('/', 'many')], selection: { multipleMatches } })
    await world().apply(service(namespace, 'many-m', { app: 'many' }))
    await world().apply(choice('many-kept', 'Error'))
    await ingress('many-kept', leadsTo({ '/': 'many-m' }))
    // Ages count whole seconds.
    await new Promise((resolve) => setTimeout(resolve, 1100))
    await world().apply(service(namespace, 'many-a', { app: 'many' }))
    await world().apply(
      choice('many-error', 'Error'),
      choice('many-newest', 'Newest'),
      choice('many-oldest', 'Oldest'),
      choice('many-first', 'FirstByName'),
    )
    await ingress('many-newest', leadsTo({ '/': 'many-a' }))
    await ingress('many-oldest', leadsTo({ '/': 'many-m' }))
    await ingress('many-first', leadsTo({ '/': 'many-a' }))
    const refused = await vi('many-error', is('Ready', 'False', 'MultipleMatchingServices'))
    expect(refused.status.resolvedBackends[0].candidates).toEqual(['many-a', 'many-m'])
    await told('many-error', '2 Services match app=many: many-a, many-m')
    await noIngress('many-error')
    // The one in use stays in use.
    await vi('many-kept', is('Ready', 'False', 'MultipleMatchingServices'))
    expect(leads(await ingress('many-kept'))).toEqual({ '/': 'many-m' })
  })

  test('a Service that is being deleted gives way to another, and stays as long as there is none', async () => {
    const going = service(namespace, 'going-1', { app: 'going' })
    await world().apply(
      { ...going, metadata: { ...going.metadata, finalizers: ['example.com/held'] } },
      virtualIngress(namespace, 'going', { paths: [path('/', 'going')] }),
    )
    const before = await ingress('going', leadsTo({ '/': 'going-1' }))
    await world().remove('services', namespace, 'going-1')
    const stale = await vi('going', is('Ready', 'False', 'ServiceTerminating'))
    expect(stale.status.resolvedBackends[0]).toMatchObject({ state: 'Stale', name: 'going-1' })
    await world().apply(service(namespace, 'going-2', { app: 'going' }))
    const after = await ingress('going', leadsTo({ '/': 'going-2' }))
    expect(after.metadata.uid).toBe(before.metadata.uid)
    await vi('going', is('Ready', 'True'))
    await told('going', 'going-1 → going-2')
    await plane().kubectl([
      'patch',
      'service',
      'going-1',
      '-n',
      namespace,
      '--type=merge',
      '-p',
      '{"metadata":{"finalizers":[]}}',
    ])
  })

  test('a Service that is recreated under another name is followed, and the Ingress stays the same object', async () => {
    await world().apply(
      service(namespace, 'again-1', { app: 'again' }),
      virtualIngress(namespace, 'again', { paths: [path('/', 'again')] }),
    )
    const before = await ingress('again', leadsTo({ '/': 'again-1' }))
    await world().remove('services', namespace, 'again-1')
    await world().apply(service(namespace, 'again-2', { app: 'again' }))
    const after = await ingress('again', leadsTo({ '/': 'again-2' }))
    expect(after.metadata.uid).toBe(before.metadata.uid)
    await told('again', 'BackendChanged')
  })

  test('relabelled Services come and go; expressions are understood', async () => {
    const matchExpressions = [{ key: 'tier', operator: 'In' as const, values: ['web', 'edge'] }]
    const label = (name: string, text: string) =>
      plane().kubectl(['label', 'service', name, '-n', namespace, '--overwrite', text])
    await world().apply(
      service(namespace, 'label-1', { app: 'label', tier: 'web' }),
      service(namespace, 'label-2', { app: 'label', tier: 'none' }),
      virtualIngress(namespace, 'label', { paths: [path('/', 'label', { matchExpressions })] }),
    )
    await ingress('label', leadsTo({ '/': 'label-1' }))
    await label('label-2', 'tier=edge')
    await vi('label', is('Ready', 'False', 'MultipleMatchingServices'))
    await label('label-1', 'app-')
    await ingress('label', leadsTo({ '/': 'label-2' }))
    await vi('label', is('Ready', 'True'))
  })

  test('a port that is missing leaves the route unresolved until it is there', async () => {
    await world().apply(
      service(namespace, 'port', { app: 'port' }, [{ name: 'other', port: 81 }]),
      virtualIngress(namespace, 'port', { paths: [path('/', 'port', { port: { name: 'http' } })] }),
    )
    const missing = await vi('port', is('Ready', 'False', 'PortNotFound'))
    expect(condition(missing, 'ResolvedRefs')?.message).toContain('has no port http')
    await noIngress('port')
    await world().apply(service(namespace, 'port', { app: 'port' }))
    const made = await ingress('port', leadsTo({ '/': 'port' }))
    expect(made.spec.rules[0].http.paths[0].backend.service.port).toEqual({ name: 'http' })
  })

  test('requireReadyEndpoints waits before the first time and before a change', async () => {
    const spec = { paths: [path('/', 'ready')], selection: { requireReadyEndpoints: true } }
    await world().apply(service(namespace, 'ready-1', { app: 'ready' }), virtualIngress(namespace, 'ready', spec))
    await vi('ready', is('Ready', 'False', 'EndpointsNotReady'))
    await noIngress('ready')
    await world().apply(endpoints(namespace, 'ready-1', true))
    await ingress('ready', leadsTo({ '/': 'ready-1' }))
    await world().remove('services', namespace, 'ready-1')
    await world().apply(service(namespace, 'ready-2', { app: 'ready' }), endpoints(namespace, 'ready-2', false))
    await vi('ready', is('Ready', 'False', 'EndpointsNotReady'))
    expect(leads(await ingress('ready'))).toEqual({ '/': 'ready-1' })
    await world().apply(endpoints(namespace, 'ready-2', true))
    await ingress('ready', leadsTo({ '/': 'ready-2' }))
  })

  test('the default backend is resolved in the same way; a name is passed on as it is; so are TLS and the class', async () => {
    const backend = { service: { matchLabels: { app: 'default' }, port: { number: 80 } } }
    const named = {
      path: '/named',
      pathType: 'Exact' as const,
      backend: { service: { name: 'absent', port: { number: 80 } } },
    }
    const tls = [{ hosts: ['x.example.com'], secretName: 'mine' }]
    await world().apply(
      service(namespace, 'default-1', { app: 'default' }),
      virtualIngress(namespace, 'default', { defaultBackend: backend, paths: [named], tls }),
    )
    const made = await ingress('default')
    expect(made.spec.defaultBackend.service).toEqual({ name: 'default-1', port: { number: 80 } })
    expect(leads(made)).toEqual({ '/named': 'absent' })
    expect(made.spec.tls).toEqual(tls)
    expect(made.spec.ingressClassName).toBeUndefined()
    await vi('default', ({ status }) => status?.summary === '1/2')
  })
})
