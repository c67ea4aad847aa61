import { beforeEach, expect, test } from 'vitest'
import { virtualIngressDefaults } from '../../src/controllers/virtualingress/settings.ts'
import { describeWithControlPlane } from './availability.ts'
import { installForeignKind, installKinds, removeKinds } from './installed-kinds.ts'
import { type AnyObject, condition, is, until, worldOf } from './operator-world.ts'
import { useOwnControlPlane } from './use.ts'
import { useOperator } from './use-operator.ts'
import { leads, path, service, virtualIngress } from './virtualingress-world.ts'

describeWithControlPlane('a VirtualIngress among kinds of others', () => {
  const plane = useOwnControlPlane({ controllerManager: true, prepare: [installKinds] })
  const operator = useOperator(plane, { controllers: ['virtualingress'] })
  let namespace = ''
  const world = () => worldOf(plane())

  beforeEach(async () => {
    namespace = await plane().newNamespace()
  })

  const installRoutes = () => installForeignKind(plane(), 'gateway.networking.k8s.io/v1', 'HTTPRoute', 'httproutes')
  const vi = (name: string, isSo?: (object: AnyObject) => boolean) =>
    world().eventually('virtualingresses', namespace, name, isSo)
  const route = (name: string, isSo?: (object: AnyObject) => boolean) =>
    world().eventually('httproutes', namespace, name, isSo)
  const backendsOf = (object: AnyObject) => object.spec.rules.map((rule: { backendRefs: object[] }) => rule.backendRefs)

  test('without the Gateway API it says so; with it the routes are made, shared and followed', async () => {
    if (await removeKinds(plane(), 'httproutes.gateway.networking.k8s.io')) await operator.restart()
    const shares = [
      { matchLabels: { track: 'stable' }, port: { name: 'http' }, weight: 9 },
      { matchLabels: { track: 'canary' }, port: { number: 80 } },
    ]
    const parentRefs = [{ name: 'public', namespace: 'gateways' }]
    const source = virtualIngress(
      namespace,
      'coder',
      {
        output: 'HTTPRoute',
        parentRefs,
        tls: [{ secretName: 'ignored' }],
        rules: [
          {
            host: 'coder.example.com',
            http: { paths: [{ path: '/', pathType: 'Prefix', backend: { services: shares } }, path('/api', 'api')] },
          },
          { host: 'docs.example.com', http: { paths: [{ ...path('/x', 'api'), pathType: 'Exact' }] } },
        ],
      },
      { annotations: { 'external-dns.alpha.kubernetes.io/target': 'a.example.com', 'cert-manager.io/issuer': 'x' } },
    )
    await world().apply(
      service(namespace, 'stable-1', { track: 'stable' }, [{ name: 'http', port: 8080 }]),
      service(namespace, 'canary-1', { track: 'canary' }),
      service(namespace, 'api-1', { app: 'api' }),
      source,
    )
    const missing = await vi('coder', is('Ready', 'False', 'GatewayApiMissing'))
    expect(condition(missing, 'Accepted')?.message).toContain('spec.tls is without effect on an HTTPRoute')
    await installRoutes()
    const made = await route('coder-generated')
    expect(made.metadata.annotations).toEqual(source.metadata.annotations)
    expect(made.spec).toMatchObject({ parentRefs, hostnames: ['coder.example.com'] })
    expect(backendsOf(made)).toEqual([
      [
        { name: 'stable-1', port: 8080, weight: 9 },
        { name: 'canary-1', port: 80, weight: 1 },
      ],
      [{ name: 'api-1', port: 80 }],
    ])
    const routes = await world().list('httproutes', namespace)
    const docs = routes.find(({ spec }) => spec.hostnames[0] === 'docs.example.com')
    expect(docs?.spec.rules[0].matches).toEqual([{ path: { type: 'Exact', value: '/x' } }])

    await vi('coder', is('Programmed', 'Unknown', 'RouteNotAccepted'))
    for (const { metadata } of routes) {
      const conditions = [{ type: 'Accepted', status: 'True', reason: 'Accepted' }]
      const status = { parents: [{ parentRef: parentRefs[0], controllerName: 'example.com/gate', conditions }] }
      await plane().kubectl([
        'patch',
        'httproute',
        metadata.name,
        '-n',
        namespace,
        '--type=merge',
        '-p',
        JSON.stringify({ status }),
      ])
    }
    const ready = await vi('coder', is('Ready', 'True'))
    expect(ready.status).toMatchObject({ summary: '4/4', generatedRoutes: [{}, {}] })

    await world().remove('services', namespace, 'canary-1')
    await vi('coder', ({ status }) => status.summary === '3/4')
    expect(backendsOf(await route('coder-generated'))[0][1]).toMatchObject({ name: 'canary-1', port: 80 })
    await world().apply(service(namespace, 'canary-2', { track: 'canary' }))
    await route('coder-generated', (object) => backendsOf(object)[0][1].name === 'canary-2')
  })

  test('as an Ingress again the routes go; more than sixteen paths are several routes; a default is for every host', async () => {
    await installRoutes()
    const paths = Array.from({ length: 20 }, (_, index) => path(`/${index}`, 'api'))
    const backend = { service: { matchLabels: { app: 'api' }, port: { number: 80 } } }
    const spec = { output: 'HTTPRoute' as const, parentRefs: [{ name: 'public' }], paths, defaultBackend: backend }
    await world().apply(service(namespace, 'api-1', { app: 'api' }), virtualIngress(namespace, 'many', spec))
    await route('many-generated-2')
    const ours = (await world().list('httproutes', namespace)).filter(({ metadata }) =>
      metadata.name.startsWith('many-'),
    )
    expect(ours.map((object) => [object.spec.hostnames?.length ?? 0, object.spec.rules.length])).toEqual(
      expect.arrayContaining([
        [1, 16],
        [1, 5],
        [0, 1],
      ]),
    )
    await world().apply(virtualIngress(namespace, 'many', { paths, defaultBackend: backend }))
    await world().eventually('ingresses', namespace, 'many-generated')
    for (const { metadata } of ours) await world().gone('httproutes', namespace, metadata.name)
  })

  // No cert-manager can be had here: its ingress-shim makes one Certificate for each Secret, owned by the Ingress.
  test('for cert-manager there is one annotated Ingress, and its Certificate outlives every rename', async () => {
    await installForeignKind(plane(), 'cert-manager.io/v1', 'Certificate', 'certificates')
    const own = await plane().newNamespace()
    const tls = [{ hosts: ['tls.example.com'], secretName: 'own-tls' }]
    const annotations = { 'cert-manager.io/cluster-issuer': 'letsencrypt' }
    await world().apply(service(own, 'tls-0', { app: 'web' }), virtualIngress(own, 'tls', { tls }, { annotations }))
    const annotated = async () =>
      (await world().list('ingresses', own)).filter(
        ({ metadata }) => metadata.annotations?.['cert-manager.io/cluster-issuer'],
      )
    await until('the Ingress', async () => (await annotated()).length > 0)
    const [first] = await annotated()
    const { name = '', uid = '' } = first?.metadata ?? {}
    const owner = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name, uid, controller: true }
    const certificates = `/apis/cert-manager.io/v1/namespaces/${own}/certificates`
    const body = {
      apiVersion: 'cert-manager.io/v1',
      kind: 'Certificate',
      metadata: { name: 'own-tls', ownerReferences: [owner] },
    }
    const before = await plane().request<AnyObject>(certificates, { method: 'POST', body })
    for (const round of [1, 2, 3]) {
      await world().remove('services', own, `tls-${round - 1}`)
      await world().apply(service(own, `tls-${round}`, { app: 'web' }))
      await world().eventually('ingresses', own, name, (object) => leads(object)['/'] === `tls-${round}`)
    }
    const after = await annotated()
    expect(after.map(({ metadata, spec }) => [metadata.uid, spec.tls])).toEqual([[uid, tls]])
    const kept = await plane().request<AnyObject>(`${certificates}/own-tls`)
    expect(kept.body.metadata.uid).toBe(before.body.metadata.uid)
  })

  test('looks only into the namespaces that it is given, and does what the operator was told by default', async () => {
    const [first, second, other] = [
      await plane().newNamespace(),
      await plane().newNamespace(),
      await plane().newNamespace(),
    ]
    const { selection, generated } = virtualIngressDefaults
    await operator.restart({
      settings: {
        virtualIngress: {
          ...virtualIngressDefaults,
          namespaces: [first, second],
          selection: { ...selection, noMatch: 'Unavailable' },
          generated: { ...generated, nameSuffix: '-made', excludedAnnotations: ['private.example.com/*'] },
        },
      },
    })
    const annotations = { 'private.example.com/x': '1', kept: '2' }
    for (const one of [first, second, other]) await world().apply(virtualIngress(one, 'told', {}, { annotations }))
    for (const one of [first, second]) {
      const made = await world().eventually('ingresses', one, 'told-made')
      expect(made.metadata.annotations).toEqual({ kept: '2' })
    }
    await world().apply(service(second, 'came', { app: 'web' }))
    await world().eventually('ingresses', second, 'told-made', (object) => leads(object)['/'] === 'came')
    expect(await world().list('ingresses', other)).toEqual([])
  })
})
