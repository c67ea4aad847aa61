import { expect, test } from 'vitest'
import { useAppsWorld } from './apps-world.ts'
import { describeWithControlPlane } from './availability.ts'
import type { AnyObject } from './operator-world.ts'
import { kubeconfigSecret } from './standins/hypershift.ts'

describeWithControlPlane('the way to the applications of a hosted cluster', () => {
  const { plane, hosted, world, there, scene, readyScene } = useAppsWorld({ withMetalLB: true })

  test('the hosted API server stops and starts again: Degraded with the last address, then Ready', async () => {
    const { controlPlane, status } = await readyScene()
    process.kill(hosted().pids['kube-apiserver'] ?? 0, 'SIGKILL')
    const down = await status('Degraded', 'HostedAPIUnreachable')
    expect(down).toMatchObject({ externalIP: '192.168.100.241' })
    expect(down.message).toContain(`https://kube-apiserver.${controlPlane}.svc:6443/`)
    await hosted().restart()
    await status('Ready')
  })

  test('a kubeconfig that comes late, is rotated, and loses its rights', async () => {
    const { status, controlPlane, touch } = await scene({ kubeconfig: undefined })
    await status('Degraded', 'KubeconfigMissing')
    const first = await hosted().addUser('first-admin', ['system:masters'])
    await world().apply(kubeconfigSecret(controlPlane, first.kubeconfig))
    await touch()
    await status('Pending', 'AddressPending')
    const nobody = await hosted().addUser('nobody-yet')
    await world().apply(kubeconfigSecret(controlPlane, nobody.kubeconfig))
    await touch()
    await status('Degraded', 'HostedAPIRefused')
    const second = await hosted().addUser('second-admin', ['system:masters'])
    await world().apply(kubeconfigSecret(controlPlane, second.kubeconfig))
    await touch()
    await status('Pending', 'AddressPending')
    const users = new Set((await hosted().audit()).map(({ user }) => user))
    expect([...users]).toEqual(expect.arrayContaining(['first-admin', 'nobody-yet', 'second-admin']))
  })

  test('a hostile kubeconfig is refused by name, and one for another server leads to the pinned one', async () => {
    const { status, controlPlane, touch } = await scene({
      kubeconfig: hosted().admin.kubeconfig.replace(/"client-key-data": .*/, '"exec": { "command": "/bin/sh" }'),
    })
    expect((await status('Degraded', 'KubeconfigRefused')).message).toContain('uses exec')
    await world().apply(
      kubeconfigSecret(controlPlane, hosted().admin.kubeconfig.replace(hosted().url, 'https://203.0.113.9:1')),
    )
    await touch()
    await status('Pending', 'AddressPending')
    await world().apply(kubeconfigSecret(controlPlane, plane().admin.kubeconfig))
    await touch()
    expect((await status('Degraded', 'HostedAPIUnreachable')).message).toMatch(/certificate/)
  })

  test('a hosted cluster without router, without control plane, or of somebody who does not permit it', async () => {
    const off = await scene({ cluster: { capabilities: { disabled: ['Ingress'] } } })
    await off.status('Degraded', 'IngressDisabled')
    const stranger = await plane().newNamespace('stranger')
    const foreign = await scene({ from: stranger })
    expect((await foreign.status('Degraded', 'TargetNotPermitted')).message).toContain('kubectl annotate namespace')
    const { controlPlane, cluster } = foreign
    await plane().kubectl([
      'annotate',
      'namespace',
      cluster.namespace,
      `hostedcluster.densityops.com/allow-infra-from=${stranger}`,
    ])
    const isAboutPlane = ({ status }: AnyObject) => status?.appsIngressStatus?.message.startsWith(`${controlPlane} is`)
    await world().eventually('infras', stranger, 'c1', isAboutPlane)
    await plane().kubectl([
      'annotate',
      'namespace',
      controlPlane,
      `hostedcluster.densityops.com/allow-infra-from=${stranger}`,
    ])
    await foreign.status('Pending', 'AddressPending')
    await plane().kubectl(['annotate', 'namespace', controlPlane, 'hostedcluster.densityops.com/allow-infra-from-'])
    await foreign.status('Degraded', 'TargetNotPermitted')
    await plane().kubectl(['delete', 'hostedcontrolplane', '--all', '-n', off.controlPlane])
    await off.status('Degraded', 'ControlPlanePending')
  })

  /** As long as it takes to give up. */
  const testPatiently = test.skipIf(process.env.OOOI_E2E !== 'all')

  testPatiently('a hosted cluster that does not answer keeps nobody from deleting an Infra', async () => {
    const { from, service } = await readyScene()
    hosted().pause()
    try {
      await world().remove('infras', from, 'c1')
      await world().gone('infras', from, 'c1')
    } finally {
      hosted().resume()
    }
    await world().told(from, 'ServiceLeftBehind')
    expect(await there().get('services', 'openshift-ingress', service)).toBeDefined()
  })

  test('Secrets are asked for by their one name only, and nothing of MetalLB in the management cluster', async () => {
    const mine = (await plane().audit()).filter(({ user }) => user === 'oooi-manager-under-test')
    expect(new Set(mine.filter(({ resource }) => resource === 'secrets').map(({ verb }) => verb))).toEqual(
      new Set(['get']),
    )
    expect(mine.filter(({ group }) => group === 'metallb.io')).toEqual([])
    const may = (...words: string[]) =>
      plane()
        .kubectl(['auth', 'can-i', ...words, '--as=oooi-manager-under-test', '-A'])
        .then((answer) => answer.trim())
        .catch(() => 'no')
    for (const [verb, what] of [
      ['list', 'secrets'],
      ['watch', 'secrets'],
      ['get', 'secrets'],
      ['get', 'ipaddresspools.metallb.io'],
    ]) {
      expect(`${verb} ${what}: ${await may(verb ?? '', what ?? '')}`).toBe(`${verb} ${what}: no`)
    }
  })
})
