import { fileURLToPath } from 'node:url'
import { beforeEach, expect, test } from 'vitest'
import { virtualIngressDefaults } from '../../src/controllers/virtualingress/settings.ts'
import type { Access } from '../../src/lab/kubernetes/access/access.ts'
import { describeWithControlPlane } from './availability.ts'
import { installForeignKind, installKinds } from './installed-kinds.ts'
import { type AnyObject, condition, is, until, worldOf } from './operator-world.ts'
import { managerOf } from './running-operator.ts'
import { useOwnControlPlane } from './use.ts'
import { useOperator } from './use-operator.ts'
import { endpoints, leads, path, service, virtualIngress } from './virtualingress-world.ts'

const prefix = 'virtual-ingress.hostedcluster.densityops.com'

describeWithControlPlane('Services that stand for others', () => {
  const installGrants = (access: Access) =>
    installForeignKind(access, 'gateway.networking.k8s.io/v1beta1', 'ReferenceGrant', 'referencegrants')
  const plane = useOwnControlPlane({ prepare: [installKinds, installGrants] })
  const operator = useOperator(plane, { controllers: ['virtualingress'] })
  let [namespace, other] = ['', '']
  let isSwitchedOn = false
  const world = () => worldOf(plane())

  beforeEach(async () => {
    namespace = await plane().newNamespace()
    other = await plane().newNamespace()
  })

  /** The addresses that a Service leads to, of all its slices. */
  const addresses = async (of: string): Promise<string[]> => {
    const slices = (await world().list('endpointslices', namespace)) as unknown as {
      metadata: { labels?: Record<string, string> }
      endpoints?: { addresses: string[] }[] | null
    }[]
    return slices
      .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === of)
      .flatMap((slice) => (slice.endpoints ?? []).flatMap((endpoint) => endpoint.addresses))
  }
  const leadsTo = (of: string, ...wanted: string[]) =>
    until(`${of} leads to ${wanted}`, async () => (await addresses(of)).join() === wanted.join())

  const plain = (name: string, annotation: string): AnyObject => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, namespace, annotations: { [`${prefix}/backends`]: annotation } },
    spec: { defaultBackend: { service: { name: `${name}-alias`, port: { number: 80 } } } },
  })
  const away = () => virtualIngress(namespace, 'away', { paths: [path('/', 'away', { namespace: other })] })

  async function switchOn(): Promise<void> {
    if (isSwitchedOn) return
    await operator.stop()
    const user = await managerOf(plane())
    const role = fileURLToPath(new URL('../../config/rbac/virtual_ingress_alias_role.yaml', import.meta.url))
    await plane().kubectl(['apply', '--server-side', '-f', role])
    const apiGroup = 'rbac.authorization.k8s.io'
    const binding = {
      apiVersion: `${apiGroup}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'alias' },
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'oooi-virtual-ingress-alias' },
      subjects: [{ apiGroup, kind: 'User', name: user.name }],
    }
    await world().apply(binding)
    const settings = { ...virtualIngressDefaults, crossNamespace: true, annotations: true }
    await operator.restart({ settings: { virtualIngress: settings } })
    isSwitchedOn = true
  }
  const told = (ingress: AnyObject) => JSON.parse(ingress.metadata.annotations?.[`${prefix}/status`] ?? '{}')

  test('both are off unless they are switched on', async () => {
    if (isSwitchedOn) await operator.restart()
    isSwitchedOn = false
    await world().apply(plain('early', 'early-alias: {matchLabels: {app: early}}'), away())
    const seen = await world().eventually(
      'virtualingresses',
      namespace,
      'away',
      is('Ready', 'False', 'ReferenceNotPermitted'),
    )
    expect(condition(seen, 'ResolvedRefs')?.message).toContain(`in ${other} permits requests from here`)
    expect(await world().get('services', namespace, 'early-alias')).toBeUndefined()
    await switchOn()
    await world().eventually('services', namespace, 'early-alias')
  })

  test('a Service of another namespace is led to only with its consent, and no longer than that', async () => {
    const annotate = (text: string) =>
      plane().kubectl(['annotate', 'service', 'away-1', '-n', other, '--overwrite', `${prefix}/allow-from${text}`])
    await switchOn()
    await world().apply(service(other, 'away-1', { app: 'away' }), endpoints(other, 'away-1', true), away())
    const refused = await world().eventually(
      'virtualingresses',
      namespace,
      'away',
      is('Ready', 'False', 'ReferenceNotPermitted'),
    )
    expect(JSON.stringify(refused.status)).not.toContain('away-1')
    await annotate(`=somebody,${namespace}`)
    const made = await world().eventually('ingresses', namespace, 'away-generated')
    const alias = leads(made)['/'] ?? ''
    await leadsTo(alias, '198.18.0.1')
    const stands = await world().eventually('services', namespace, alias)
    expect(stands.spec).toMatchObject({ ports: [{ name: 'http', port: 80 }] })
    expect(stands.spec.selector).toBeUndefined()
    await world().eventually('virtualingresses', namespace, 'away', is('Ready', 'True'))

    await annotate('-')
    await leadsTo(alias)
    await world().eventually('virtualingresses', namespace, 'away', is('Ready', 'False', 'ReferenceNotPermitted'))
    const from = [{ group: 'hostedcluster.densityops.com', kind: 'VirtualIngress', namespace }]
    const grant = {
      apiVersion: 'gateway.networking.k8s.io/v1beta1',
      kind: 'ReferenceGrant',
      metadata: { name: 'given', namespace: other },
      spec: { from, to: [{ group: '', kind: 'Service' }] },
    }
    await world().apply(grant)
    await leadsTo(alias, '198.18.0.1')
    await world().remove('virtualingresses', namespace, 'away')
    await world().gone('services', namespace, alias)
    await leadsTo(alias)
  })

  test('a plain Ingress asks for labels in an annotation, and nobody touches the rest of it', async () => {
    await switchOn()
    const asks = plain('relay', 'relay-alias: {matchLabels: {app: relay}}')
    await world().apply(service(namespace, 'relay-1', { app: 'relay' }), endpoints(namespace, 'relay-1', true), asks)
    await leadsTo('relay-alias', '198.18.0.1')
    const seen = await world().eventually(
      'ingresses',
      namespace,
      'relay',
      (object) => told(object)['relay-alias'] !== undefined,
    )
    expect(told(seen)).toEqual({ 'relay-alias': { state: 'Resolved', service: 'relay-1' } })
    expect(seen.spec).toEqual(asks.spec)
    // Whoever applies it again finds no conflict, and takes nothing of ours away.
    await plane().kubectl(['apply', '--server-side', '-f', '-'], { input: JSON.stringify(asks) })

    await world().remove('services', namespace, 'relay-1')
    await world().remove('endpointslices', namespace, 'relay-1-1')
    await leadsTo('relay-alias')
    await world().apply(service(namespace, 'relay-2', { app: 'relay' }), endpoints(namespace, 'relay-2', true))
    await leadsTo('relay-alias', '198.18.0.1')
    await world().eventually(
      'ingresses',
      namespace,
      'relay',
      (object) => told(object)['relay-alias']?.service === 'relay-2',
    )
    expect((await world().get('ingresses', namespace, 'relay'))?.spec).toEqual(asks.spec)

    const { annotations: _, ...metadata } = asks.metadata
    await world().apply({ ...asks, metadata })
    await world().gone('services', namespace, 'relay-alias')
    await world().eventually('ingresses', namespace, 'relay', (object) => object.metadata.annotations === undefined)
  })

  test('mistakes in it and a Service of somebody else are told and nothing is touched', async () => {
    await switchOn()
    await world().apply(
      plain('bad', 'bad-alias: {matchLabel: {app: x}}'),
      service(namespace, 'taken-alias', { whose: 'theirs' }),
    )
    await world().eventually('ingresses', namespace, 'bad', (object) =>
      String(told(object).error).includes('bad-alias'),
    )
    const before = await world().get('services', namespace, 'taken-alias')
    await world().apply(plain('taken', 'taken-alias: {matchLabels: {app: relay}}'))
    await world().eventually(
      'ingresses',
      namespace,
      'taken',
      (object) => told(object)['taken-alias']?.state === 'NameConflict',
    )
    expect(await world().get('services', namespace, 'taken-alias')).toEqual(before)
  })
})
