import { expect, test } from 'vitest'
import { isPhase } from './apps-world.ts'
import { describeWithControlPlane } from './availability.ts'
import { installForeignKind, installKinds, installMultus, removeKinds } from './installed-kinds.ts'
import { type AnyObject, attachment, condition, infra, is, worldOf } from './operator-world.ts'
import { useOwnControlPlane } from './use.ts'
import { useOperator } from './use-operator.ts'

describeWithControlPlane('kinds of others, which may not be installed', () => {
  const plane = useOwnControlPlane({ prepare: [installKinds] })
  const operator = useOperator(plane)
  const world = () => worldOf(plane())

  test('without Multus and KubeVirt it says so, and goes on when they appear', async () => {
    const foreign = ['virtualmachineinstances.kubevirt.io', 'network-attachment-definitions.k8s.cni.cncf.io']
    if (await removeKinds(plane(), ...foreign)) await operator.restart()
    const namespace = await plane().newNamespace()
    await world().apply(infra(namespace))
    const dhcp = await world().eventually(
      'dhcpservers',
      namespace,
      'c1-dhcp',
      is('NetworkAttached', 'False', 'MultusMissing'),
    )
    expect(condition(dhcp, 'ClientsResolved')).toMatchObject({ status: 'False', reason: 'KubeVirtMissing' })
    await installForeignKind(plane(), 'kubevirt.io/v1', 'VirtualMachineInstance', 'virtualmachineinstances')
    await installMultus(plane())
    await world().eventually(
      'dhcpservers',
      namespace,
      'c1-dhcp',
      is('NetworkAttached', 'False', 'NetworkAttachmentMissing'),
    )
    await world().eventually('dhcpservers', namespace, 'c1-dhcp', is('ClientsResolved', 'True'))
    await world().apply(attachment(namespace, '{"type":"bridge"}'))
    const wrong = is('NetworkAttached', 'False', 'NetworkAttachmentUnusable')
    const unusable = await world().eventually('dhcpservers', namespace, 'c1-dhcp', wrong)
    expect(condition(unusable, 'NetworkAttached')?.message).toContain('no IPAM')
    const machine = {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstance',
      metadata: { name: 'worker-1', namespace },
      spec: { domain: { devices: { interfaces: [{ macAddress: '02-00-00-00-00-0A' }] } } },
    }
    await world().apply(machine)
    const known = await world().eventually('dhcpservers', namespace, 'c1-dhcp', ({ status }) =>
      Boolean(status?.resolved?.clients?.length),
    )
    expect(known.status.resolved.clients).toEqual([{ mac: '02:00:00:00:00:0a', name: 'worker-1', cluster: namespace }])
  })
  test('without a HostedCluster, or without HyperShift, nobody can be asked for applications', async () => {
    if (await removeKinds(plane(), 'hostedclusters.hypershift.openshift.io')) await operator.restart()
    const namespace = await plane().newNamespace()
    const appsIngress = { enabled: true, metallb: { addressPoolName: 'apps' } }
    const saysSo = (reason: string) => (object: AnyObject) => isPhase(object, 'Degraded', reason)
    await world().apply(infra(namespace, 'c1', { spec: { appsIngress } }))
    await world().eventually('infras', namespace, 'c1', saysSo('HostedClusterUnknown'))
    await world().apply(infra(namespace, 'c1', { spec: { appsIngress, hostedClusterRef: { name: 'c1', namespace } } }))
    await world().eventually('infras', namespace, 'c1', saysSo('HyperShiftMissing'))
    await world().eventually('infras', namespace, 'c1', is('AppsIngressReady', 'False', 'HyperShiftMissing'))
  })
})
