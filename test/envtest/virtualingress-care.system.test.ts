import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { sleep, systemClock } from '../../src/runtime/time/clock.ts'
import { describeWithControlPlane } from './availability.ts'
import { installKinds } from './installed-kinds.ts'
import { type AnyObject, condition, is, until, worldOf } from './operator-world.ts'
import { useOwnControlPlane } from './use.ts'
import { useOperator } from './use-operator.ts'
import { leads, path, service, virtualIngress } from './virtualingress-world.ts'

describeWithControlPlane('what is made of a VirtualIngress', () => {
  const plane = useOwnControlPlane({ controllerManager: true, prepare: [installKinds] })
  const operator = useOperator(plane, { controllers: ['virtualingress'] })
  let namespace = ''
  const namespaces: string[] = []
  const world = () => worldOf(plane())

  beforeEach(async () => {
    namespace = await plane().newNamespace()
    namespaces.push(namespace)
    await world().apply(service(namespace, 'web-1', { app: 'web' }))
  })

  const vi = (name: string, isSo?: (object: AnyObject) => boolean) =>
    world().eventually('virtualingresses', namespace, name, isSo)
  const ingress = (name: string, isSo?: (object: AnyObject) => boolean) =>
    world().eventually('ingresses', namespace, `${name}-generated`, isSo)
  const patch = (kind: string, name: string, body: object) =>
    plane().kubectl(['patch', kind, name, '-n', namespace, '--type=merge', '-p', JSON.stringify(body)])
  const events = async (name: string): Promise<string[]> =>
    (await world().events(namespace))
      .filter(({ regarding }) => regarding.name === name)
      .map(({ reason, note }) => `${reason}: ${note}`)
  const told = (name: string, text: string) =>
    until(`event ${text}`, async () => (await events(name)).some((event) => event.includes(text)))

  test('an Ingress of somebody else that has its name is left alone, and its end is noticed', async () => {
    const foreign: AnyObject = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'taken-generated', namespace, annotations: { whose: 'theirs' } },
      spec: { defaultBackend: { service: { name: 'theirs', port: { number: 1 } } } },
    }
    await world().apply(foreign)
    const before = await ingress('taken')
    await world().apply(virtualIngress(namespace, 'taken'))
    const seen = await vi('taken', is('Ready', 'False', 'NameConflict'))
    expect(condition(seen, 'Programmed')?.message).toContain(`Ingress ${namespace}/taken-generated is there already`)
    expect(await ingress('taken')).toEqual(before)
    await told('taken', 'NameConflict')
    await world().remove('ingresses', namespace, 'taken-generated')
    await ingress('taken', (object) => leads(object)['/'] === 'web-1')
    await vi('taken', is('Ready', 'True'))
  })

  test('edits by hand are undone, what others add stays, and what is deleted comes back', async () => {
    await world().apply(virtualIngress(namespace, 'drift', {}, { annotations: { mine: 'yes' } }))
    const made = await ingress('drift')
    await patch('ingress', 'drift-generated', { metadata: { annotations: { theirs: 'kept', mine: 'no' } } })
    const mended = await ingress('drift', ({ metadata }) => metadata.annotations?.mine === 'yes')
    expect(mended.metadata.annotations).toEqual({ mine: 'yes', theirs: 'kept' })
    const [rule] = mended.spec.rules
    await patch('ingress', 'drift-generated', { spec: { rules: [{ ...rule, host: 'evil.example.com' }] } })
    await ingress('drift', ({ spec }) => spec.rules[0].host === rule.host)
    await told('drift', 'DriftCorrected')
    await world().remove('ingresses', namespace, 'drift-generated')
    await ingress('drift', ({ metadata }) => metadata.uid !== made.metadata.uid)
    // What is taken away from the source is taken away from the copy.
    await patch('virtualingress', 'drift', { metadata: { annotations: { mine: null } } })
    await ingress('drift', ({ metadata }) => metadata.annotations?.mine === undefined)
  })

  test('labels and annotations of other tools are not copied, those for the copy are added', async () => {
    const kept = { 'cert-manager.io/cluster-issuer': 'x', 'external-dns.alpha.kubernetes.io/ttl': '60' }
    const dropped = {
      'kubectl.kubernetes.io/restartedAt': 'x',
      'argocd.argoproj.io/tracking-id': 'x',
      'meta.helm.sh/release-name': 'x',
      'helm.sh/resource-policy': 'keep',
      'kustomize.toolkit.fluxcd.io/prune': 'x',
      'config.kubernetes.io/origin': 'x',
      'policies.kyverno.io/title': 'x',
      'acme.cert-manager.io/http01-edit-in-place': 'true',
      'virtual-ingress.hostedcluster.densityops.com/x': 'x',
    }
    const labels = {
      team: 'a',
      'app.kubernetes.io/managed-by': 'Helm',
      'argocd.argoproj.io/instance': 'x',
      'kustomize.toolkit.fluxcd.io/name': 'x',
      'helm.toolkit.fluxcd.io/name': 'x',
      'applyset.kubernetes.io/part-of': 'x',
      'cluster.x-k8s.io/tenant-service-name': 'x',
    }
    const generated = { name: 'other-name', labels: { extra: 'l' }, annotations: { extra: 'a' } }
    const metadata = { labels, annotations: { ...kept, ...dropped } }
    await world().apply(virtualIngress(namespace, 'copied', { generated }, metadata))
    const made = await world().eventually('ingresses', namespace, 'other-name')
    expect(made.metadata.annotations).toEqual({ ...kept, extra: 'a' })
    expect(made.metadata.labels).toEqual({
      team: 'a',
      extra: 'l',
      'app.kubernetes.io/managed-by': 'oooi',
      'virtual-ingress.hostedcluster.densityops.com/name': 'copied',
    })
    await told('copied', 'http01-edit-in-place is left out')
    // Another name: the new one is there before the old one goes.
    await world().apply(virtualIngress(namespace, 'copied', {}, metadata))
    await ingress('copied')
    await world().gone('ingresses', namespace, 'other-name')
  })

  test('suspended, nothing is written and the status shows what would be', async () => {
    await world().apply(virtualIngress(namespace, 'paused', { suspend: true }))
    const seen = await vi('paused', is('Ready', 'False', 'Suspended'))
    expect(seen.status.resolvedBackends[0]).toMatchObject({ state: 'Resolved', name: 'web-1' })
    expect(await world().get('ingresses', namespace, 'paused-generated')).toBeUndefined()
    await world().apply(virtualIngress(namespace, 'paused'))
    await ingress('paused')
    await world().apply(virtualIngress(namespace, 'paused', { suspend: true, paths: [path('/other', 'web')] }))
    await vi('paused', is('Ready', 'False', 'Suspended'))
    expect(leads(await ingress('paused'))).toEqual({ '/': 'web-1' })
    await world().apply(virtualIngress(namespace, 'paused', { paths: [path('/other', 'web')] }))
    await ingress('paused', (object) => leads(object)['/other'] === 'web-1')
  })

  test('what the API server refuses is told in its own words, before and after there is an Ingress', async () => {
    const wrong = { host: 'Not_A_Host', http: { paths: [path('/', 'web')] } }
    // What the API server refuses is tried again, ever later: it would be no rest for the last test.
    onTestFinished(() => world().remove('virtualingresses', namespace, 'worse'))
    await world().apply(
      virtualIngress(namespace, 'wrong', { rules: [{ ...wrong, http: { paths: [path('/', 'nobody')] } }] }),
      virtualIngress(namespace, 'worse', { rules: [wrong] }),
    )
    for (const name of ['wrong', 'worse']) {
      const seen = await vi(name, is('Accepted', 'False', 'InvalidIngress'))
      expect(condition(seen, 'Accepted')?.message).toContain('a lowercase RFC 1123 subdomain must consist of')
    }
    await world().apply(virtualIngress(namespace, 'worse'))
    await ingress('worse')
    await vi('worse', is('Ready', 'True'))
    await world().apply(virtualIngress(namespace, 'worse', { rules: [wrong] }))
    await vi('worse', is('Accepted', 'False', 'InvalidIngress'))
    expect(leads(await ingress('worse'))).toEqual({ '/': 'web-1' })
  })

  test('two that want the same route are both told', async () => {
    const host = `shared.${namespace}.example.com`
    const rules = [{ host, http: { paths: [path('/', 'web')] } }]
    await world().apply(virtualIngress(namespace, 'one', { rules }), virtualIngress(namespace, 'two', { rules }))
    await told('one', `${host}/ is also wanted by two`)
    await told('two', `${host}/ is also wanted by one`)
    await world().remove('virtualingresses', namespace, 'two')
    await vi('one', (object) => condition(object, 'Accepted')?.message === '')
  })

  test('the address of the Ingress is shown', async () => {
    await world().apply(virtualIngress(namespace, 'address'))
    await ingress('address')
    const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }, { hostname: 'lb.example.com' }] } }
    await plane().kubectl([
      'patch',
      'ingress',
      'address-generated',
      '-n',
      namespace,
      '--subresource=status',
      '--type=merge',
      '-p',
      JSON.stringify({ status }),
    ])
    const seen = await vi('address', (object) => object.status?.loadBalancer?.ingress?.length === 2)
    expect(seen.status.loadBalancer).toEqual(status.loadBalancer)
  })

  test('deleted, it takes along what was made', async () => {
    const selection = { noMatch: 'Unavailable' as const }
    await world().apply(virtualIngress(namespace, 'gone', { paths: [path('/', 'absent')], selection }))
    const made = await ingress('gone')
    const stub = leads(made)['/'] ?? ''
    await world().eventually('services', namespace, stub)
    await plane().kubectl(['delete', 'vi', 'gone', '-n', namespace, '--timeout=30s'])
    await world().gone('ingresses', namespace, 'gone-generated')
    await world().gone('services', namespace, stub)
  })

  // The garbage collector may need half a minute to learn of our kinds.
  test.skipIf(process.env.OOOI_E2E !== 'all')('deleted as an orphan, it leaves what was made', async () => {
    await world().apply(virtualIngress(namespace, 'orphan'))
    await vi('orphan', is('Ready', 'True'))
    await plane().kubectl(['delete', 'vi', 'orphan', '-n', namespace, '--cascade=orphan', '--timeout=60s'])
    const left = await ingress('orphan', ({ metadata }) => metadata.ownerReferences === undefined)
    expect(leads(left)).toEqual({ '/': 'web-1' })
  })

  test('at rest nothing is written, and a manager that starts anew changes nothing', async () => {
    const versions = async () => {
      const kinds = ['virtualingresses', 'ingresses', 'services']
      const lists = await Promise.all(namespaces.flatMap((one) => kinds.map((plural) => world().list(plural, one))))
      return lists.flat().map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`)
    }
    await operator.settled()
    const [writes, reconciles, before] = [operator.writes(), operator.reconciles(), await versions()]
    await sleep(systemClock, 1500)
    expect([operator.writes(), operator.reconciles()]).toEqual([writes, reconciles])
    await operator.restart()
    await until('it worked', async () => operator.reconciles() > 5)
    await operator.settled()
    expect(await versions()).toEqual(before)
  })
})
