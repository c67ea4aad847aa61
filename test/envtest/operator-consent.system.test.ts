import { expect, test } from 'vitest'
import { proxyServerKind } from '../../src/controllers/shared/kinds.ts'
import { parseCidr } from '../../src/core/net/cidr.ts'
import { Informer } from '../../src/runtime/cache/informer.ts'
import { systemClock } from '../../src/runtime/time/clock.ts'
import { describeWithControlPlane } from './availability.ts'
import { installKinds, installMultus } from './installed-kinds.ts'
import { type AnyObject, attachment, condition, infra, is, until, worldOf } from './operator-world.ts'
import { silent } from './runtime-things.ts'
import { closedControlPlane, installHyperShift } from './standins/hypershift.ts'
import { useOwnControlPlane } from './use.ts'
import { useOperator } from './use-operator.ts'

describeWithControlPlane('what leads into namespaces of others', () => {
  const plane = useOwnControlPlane({ prepare: [installKinds, installMultus, installHyperShift] })
  const operator = useOperator(plane, {
    settings: { targetCidrs: [parseCidr('192.168.100.0/24')].flatMap((cidr) => cidr ?? []) },
  })
  const world = () => worldOf(plane())

  /** A control plane as HyperShift makes one: closed by a policy, with an API server that answers. */
  async function victim(): Promise<string> {
    const namespace = await plane().newNamespace('victim')
    await world().apply(...closedControlPlane(namespace))
    return namespace
  }

  function proxy(namespace: string, target: object): AnyObject {
    const backend = { name: 'api', hostname: 'api.c1.example.com', port: 6443, targetPort: 6443, ...target }
    return {
      apiVersion: 'hostedcluster.densityops.com/v1alpha1',
      kind: 'ProxyServer',
      metadata: { name: 'attack', namespace },
      spec: {
        networkConfig: { serverIP: '192.168.100.10', networkAttachmentName: 'vlan100' },
        backends: [backend],
      },
    }
  }

  const ourPolicies = async (namespace: string) =>
    (await world().list('networkpolicies', namespace)).filter(({ metadata }) => metadata.name.startsWith('allow-'))
  const annotate = (namespace: string, value: string) =>
    plane().kubectl([
      'annotate',
      'namespace',
      namespace,
      '--overwrite',
      `hostedcluster.densityops.com/allow-infra-from${value}`,
    ])

  test('an Infra that names the control plane of another opens nothing, until that namespace agrees, and no longer than that', async () => {
    const namespace = await plane().newNamespace('tenant')
    const target = await victim()
    await world().apply(attachment(namespace), infra(namespace, 'c1', { proxy: { controlPlaneNamespace: target } }))
    const refused = await world().eventually('infras', namespace, 'c1', is('Accepted', 'False', 'TargetNotPermitted'))
    const command = `kubectl annotate namespace ${target} --overwrite hostedcluster.densityops.com/allow-infra-from=${namespace}`
    expect(condition(refused, 'Ready')).toMatchObject({ status: 'False', reason: 'TargetNotPermitted' })
    expect(condition(refused, 'Ready')?.message).toContain(
      `proxy.controlPlaneNamespace: ${target} is another namespace`,
    )
    expect(condition(refused, 'Ready')?.message).toContain(command)
    expect(await world().list('proxyservers', namespace)).toEqual([])
    expect(await ourPolicies(target)).toEqual([])
    await until('a warning', async () => {
      return (await world().events(namespace)).some(
        ({ reason, type }) => reason === 'TargetNotPermitted' && type === 'Warning',
      )
    })

    await annotate(target, `=somebody-else, ${namespace}`)
    await world().eventually('infras', namespace, 'c1', is('Accepted', 'True'))
    const served = await world().eventually('proxyservers', namespace, 'c1-proxy', ({ status }) =>
      Boolean(status?.resolved?.backends?.[0]?.endpoints?.length),
    )
    expect(served.status.resolved.backends[0].endpoints).toEqual([{ address: '10.9.9.9', port: 16443 }])
    await until('the policy', async () => (await ourPolicies(target)).length === 1)
    const [policy] = await ourPolicies(target)
    expect(policy?.spec.ingress[0]).toMatchObject({
      from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } }],
      ports: [{ protocol: 'TCP', port: 16443 }],
    })

    // A mistake of another kind takes nothing away.
    const mistaken = { controlPlaneNamespace: target, serverIP: '192.168.100.150' }
    await world().apply(infra(namespace, 'c1', { proxy: mistaken }))
    await world().eventually('infras', namespace, 'c1', is('Accepted', 'False', 'AddressTaken'))
    expect((await ourPolicies(target))[0]?.metadata.uid).toBe(policy?.metadata.uid)

    await annotate(target, '-')
    await until('the policy is gone', async () => (await ourPolicies(target)).length === 0)
    const closed = await world().eventually(
      'proxyservers',
      namespace,
      'c1-proxy',
      ({ status }) => !status?.resolved?.backends?.length,
    )
    expect(condition(closed, 'Accepted')).toMatchObject({ status: 'False', reason: 'TargetNotPermitted' })
    // What has nothing to do with it stays.
    expect(await world().get('dhcpservers', namespace, 'c1-dhcp')).toBeDefined()
  })

  test('a proxy made by hand gets no endpoint of another namespace', async () => {
    const namespace = await plane().newNamespace('tenant')
    const target = await victim()
    await world().apply(
      attachment(namespace),
      proxy(namespace, { targetService: 'kube-apiserver', targetNamespace: target }),
    )
    const refused = is('Accepted', 'False', 'TargetNotPermitted')
    const server = await world().eventually('proxyservers', namespace, 'attack', refused)
    expect(server.status.resolved.backends).toEqual([])
    expect(server.status.backendCount).toBe(0)
  })

  test.each(['10.9.9.9', '127.0.0.1', '169.254.169.254', 'kube-apiserver.victim.svc', 'fd00::1'])(
    'a target address like %s is nowhere the pod may go',
    async (targetAddress) => {
      const namespace = await plane().newNamespace('tenant')
      await world().apply(attachment(namespace), proxy(namespace, { targetAddress }))
      const refused = is('Accepted', 'False', 'TargetNotPermitted')
      const { status } = await world().eventually('proxyservers', namespace, 'attack', refused)
      expect(status).toMatchObject({ backendCount: 0, resolved: { backends: [] } })
    },
  )

  test('a proxy that is turned to such an address is never led there, whatever else is wrong with it', async () => {
    const namespace = await plane().newNamespace('tenant')
    const seen = new Set<string>()
    const witness = new Informer({
      client: operator.client,
      kind: proxyServerKind,
      namespace,
      clock: systemClock,
      random: Math.random,
      log: silent,
    })
    witness.onChange(({ object: { status } }) => {
      const resolved: unknown = status?.resolved
      const backends = typeof resolved === 'object' && resolved && 'backends' in resolved ? resolved.backends : null
      seen.add(JSON.stringify(backends))
    })
    witness.start()
    const ledTo = (...backends: object[]) => JSON.stringify(backends)
    const permitted = ledTo({ endpoints: [{ address: '192.168.100.50', port: 6443 }], name: 'api' })
    await world().apply(attachment(namespace), proxy(namespace, { targetAddress: '192.168.100.50' }))
    await until(
      'it is led there',
      async () => seen.has(permitted),
      () => [...seen].join(),
    )
    await world().apply(proxy(namespace, { targetAddress: '10.9.9.9', proxyProtocol: true, healthCheck: {} }))
    await until(
      'it is led nowhere',
      async () => seen.has(ledTo()),
      () => [...seen].join(),
    )
    await witness.stop()
    seen.delete('null')
    expect([...seen]).toEqual([permitted, ledTo()])
  })

  test('a control plane belongs to whom HyperShift says, not to whom its name looks like', async () => {
    const namespace = await plane().newNamespace('tenant')
    const target = await victim()
    const belongsTo = (cluster: string): AnyObject => ({
      apiVersion: 'hypershift.openshift.io/v1beta1',
      kind: 'HostedControlPlane',
      metadata: { name: 'c1', namespace: target, annotations: { 'hypershift.openshift.io/cluster': cluster } },
    })
    await world().apply(
      attachment(namespace),
      belongsTo('clusters/c1'),
      infra(namespace, 'c1', { proxy: { controlPlaneNamespace: target } }),
    )
    await world().eventually('infras', namespace, 'c1', is('Accepted', 'False', 'TargetNotPermitted'))
    await world().apply(belongsTo(`${namespace}/c1`))
    await world().eventually('infras', namespace, 'c1', is('Accepted', 'True'))
    await until('the policy', async () => (await ourPolicies(target)).length === 1)

    await world().remove('infras', namespace, 'c1')
    await world().gone('infras', namespace, 'c1')
    expect(await ourPolicies(target)).toEqual([])
    expect(await world().get('networkpolicies', target, 'same-namespace')).toBeDefined()
  })

  test('pods that no policy closed are not closed by ours', async () => {
    const namespace = await plane().newNamespace('tenant')
    const target = await victim()
    await world().remove('networkpolicies', target, 'same-namespace')
    await annotate(target, `=${namespace}`)
    await world().apply(attachment(namespace), infra(namespace, 'c1', { proxy: { controlPlaneNamespace: target } }))
    await world().eventually('proxyservers', namespace, 'c1-proxy', is('Accepted', 'True'))
    expect(await ourPolicies(target)).toEqual([])
  })
})
