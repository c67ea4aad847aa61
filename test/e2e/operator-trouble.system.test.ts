import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import type { DHCPLease } from '../../src/api/dhcplease.ts'
import type { DHCPServer } from '../../src/api/dhcpserver.ts'
import { run } from '../../src/lab/host/command.ts'
import { namespaceOf } from '../../src/lab/plan.ts'
import { until } from '../../src/lab/testing.ts'
import { startNamespaceVm } from '../../src/lab/vm/namespacevm.ts'
import { finalStep, type Step } from '../../src/lab/vm/steps.ts'
import type { Vm } from '../../src/lab/vm/vm.ts'
import { renewLease } from './lease-renewal.ts'
import { componentPods, listeners, type PodProcess, podProcess } from './pod-processes.ts'
import { describeInLongRun, useCluster } from './use-cluster.ts'
import { InstalledOperator, namespace, operatorNamespace } from './use-operator.ts'

/** Journey 2: things go wrong one after the other; services stay, and the status tells what is wrong and what to do. */

const api = 'api.lab.example.test'
const apiFrozenMs = 180_000

describeInLongRun('the operator in trouble', () => {
  const cluster = useCluster({ nodes: 1, namespaceVms: 4 })
  const machines = new Map<string, Vm>()
  let operator: InstalledOperator

  function powerOn(name: string): Vm {
    const { ledger, plan } = cluster()
    const vm = plan.lab.vms.find((one) => one.name === name)
    if (!vm) throw new Error(`no ${name} in the lab`)
    const machine = startNamespaceVm(ledger, plan.lab, vm)
    machines.set(name, machine)
    return machine
  }

  async function boot(name: string): Promise<readonly Step[]> {
    const machine = powerOn(name)
    await machine.boot(60_000)
    return machine.steps
  }

  function failures(steps: readonly Step[]): string[] {
    return steps.filter((step) => !step.ok).map(({ name, text }) => `${name}: ${text}`)
  }

  const streamOf = (name: string): Promise<Step> | undefined => machines.get(name)?.repeat(finalStep, 20_000)
  const dhcpStatus = async () => (await operator.get<DHCPServer>('dhcpservers/lab-dhcp')).status
  const lease = (address: string) => operator.get<DHCPLease>(`dhcpleases/lab-dhcp-${address.replaceAll('.', '-')}`)

  beforeAll(async () => {
    operator = await InstalledOperator.install(cluster(), { replicas: '2' })
    await cluster().startHostedControlPlane()
    // A pool of two addresses.
    await operator.applyInfra({ rangeStart: '192.168.100.20', rangeEnd: '192.168.100.21' })
  })

  it('says which network attachment is missing, and goes on by itself when it is there', async () => {
    const missing = await operator.untilCondition('Ready', 'False')
    expect(missing.reason).toBe('NetworkAttachmentMissing')
    expect(missing.message).toContain(`${namespace}/vlan100`)
    await operator.attachVlan()
    await operator.untilReady()
  })

  it('listens where it must and nowhere else', async () => {
    const [node] = cluster().nodes
    const { vlan } = cluster().plan.lab
    const open: Record<string, string[]> = {}
    for (const command of ['dhcp', 'dns', 'proxy'] as const) {
      const [pod] = await componentPods(cluster(), command)
      if (!node || !pod) throw new Error(`no ${command} pod`)
      const process = await podProcess(node, command, pod.metadata.name)
      const sockets = await listeners(node, process)
      open[command] = sockets.map((socket) => socket.replace(pod.status.podIP, 'pod'))
    }
    expect(open).toEqual({
      dhcp: ['tcp pod:8080', `udp ${vlan.dhcp}:67`, 'udp 255.255.255.255:67'],
      dns: ['tcp pod:53', 'tcp pod:8080', `tcp ${vlan.dns}:53`, 'udp pod:53', `udp ${vlan.dns}:53`],
      proxy: [
        ...[443, 6443, 80, 8080, 9902].map((port) => `tcp pod:${port}`),
        'tcp 127.0.0.1:18000',
        ...[443, 6443, 80].map((port) => `tcp ${vlan.proxy}:${port}`),
      ],
    })
  })

  it('lends no address that somebody uses, names who finds the pool full, and serves all others on', async () => {
    const [inUse, free] = ['192.168.100.20', '192.168.100.21']
    const apps = namespaceOf(cluster().plan.lab, 'apps')
    await run('ip', ['-n', apps, 'address', 'add', `${inUse}/24`, 'dev', 'eth0'])
    expect(failures(await boot('worker-1'))).toEqual([])
    expect(failures(await boot('worker-2'))).toEqual([])
    expect((await lease(free)).spec).toMatchObject({ vmName: 'worker-2', state: 'Active' })
    expect((await lease(inUse)).spec.state).toBe('Declined')

    const late = powerOn('worker-3')
    const refusal = await until('the refused machine', async () =>
      (await dhcpStatus())?.refusals?.find(({ mac }) => mac === late.plan.mac),
    )
    expect(refusal.reason).toBe('PoolExhausted')
    expect(await dhcpStatus()).toMatchObject({ poolUsage: 100, leases: { active: 2, declined: 1 } })
    expect(await streamOf('worker-1')).toMatchObject({ ok: true })
    await operator.untilCondition('Ready', 'True')

    // Room is made while the machine is still asking.
    await operator.applyInfra({ rangeStart: '192.168.100.20', rangeEnd: '192.168.100.30' })
    await late.boot(60_000)
    expect(failures(late.steps)).toEqual([])
  })

  it(
    'serves on while the API server is frozen, and the status catches up',
    async () => {
      const before = await lease('192.168.100.21')
      cluster().controlPlane.pause()
      try {
        const thawed = sleep(apiFrozenMs)
        expect(failures(await boot('worker-4'))).toEqual([])
        await renewLease(namespaceOf(cluster().plan.lab, 'worker-2'))
        expect(await operator.resolve(api)).toBe(cluster().plan.lab.vlan.proxy)
        await thawed
        expect(await operator.resolve(api)).toBe(cluster().plan.lab.vlan.proxy)
        expect(await streamOf('worker-1')).toMatchObject({ ok: true })
      } finally {
        cluster().controlPlane.resume()
      }
      await until('the leases of the meantime', async () =>
        (await dhcpStatus())?.activeLeases === 4 && (await operator.names('dhcplease')).length === 5 ? true : undefined,
      )
      await until('the renewal', async () =>
        (await lease('192.168.100.21')).spec.expires > before.spec.expires ? true : undefined,
      )
      await operator.untilReady()
    },
    apiFrozenMs + 100_000,
  )

  it('serves on when the leader and a pod are killed, and the next leader keeps the status true', async () => {
    const holder = async (): Promise<string> => {
      const path = `/apis/coordination.k8s.io/v1/namespaces/${operatorNamespace}/leases/8d60c2c3.densityops.com`
      return (await cluster().request<{ spec: { holderIdentity: string } }>(path)).body.spec.holderIdentity
    }
    const [node] = cluster().nodes
    const leader = await holder()
    const [pod] = (await componentPods(cluster(), 'dns')).map(({ metadata }) => metadata.name)
    if (!node || !pod) throw new Error('no DNS pod')
    const manager = await podProcess(node, 'manager', leader.slice(0, leader.lastIndexOf('_')))
    const kill = ({ pid }: PodProcess): Promise<string> => node.run(['kill', '-KILL', String(pid)])
    await kill(manager)
    await kill(await podProcess(node, 'dns', pod))
    await until('names to resolve again', () => operator.resolve(api))
    expect(await streamOf('worker-1')).toMatchObject({ ok: true })
    await until('another leader', async () => ((await holder()) === leader ? undefined : true))
    await cluster().kubectl(['delete', 'network-attachment-definitions', '-n', namespace, 'vlan100'])
    expect((await operator.untilCondition('Ready', 'False')).reason).toBe('NetworkAttachmentMissing')
    expect(await operator.resolve(api)).toBe(cluster().plan.lab.vlan.proxy)
    await operator.attachVlan()
    await operator.untilReady()
    expect(await streamOf('worker-1')).toMatchObject({ ok: true })
  })
})
