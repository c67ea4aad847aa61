import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BreakDocument, HealDocument } from '../../src/lab/control/control.ts'
import { failingSteps } from '../../src/lab/control/testing.ts'
import { type LabCommand, labIdOf, labOrder, startLabCommand, until } from '../../src/lab/testing.ts'
import { describeInLongRun } from './use-cluster.ts'

/** `make lab-cluster` as a newcomer has it: the cluster, a kubeconfig, a booted VM; then the breaks of the lab. */

describeInLongRun('oooi lab-cluster with oooi in it', () => {
  let lab: LabCommand
  let id: string

  beforeAll(async () => {
    lab = startLabCommand(['--keep', '-o', 'json'], 'lab-cluster')
    id = await labIdOf(lab)
    await until('the boot', () => lab.stdout() || undefined, 180_000)
  }, 200_000)

  afterAll(async () => {
    lab.child.kill('SIGTERM')
    await lab.exit
  })

  it('has booted a VM and says where the kubeconfig is', () => {
    expect(JSON.parse(lab.stdout())).toMatchObject({
      id,
      kubeconfig: expect.stringContaining(id),
      ok: true,
      vms: [{ name: 'worker-1', ok: true }],
    })
  })

  it.each([
    ['dhcp', ['lease'], [], /^DHCPReady +False +PodPending/m],
    ['dns', ['resolver', 'ignition', 'api', 'oauth', 'apps'], [], /^DNSReady +False +PodPending/m],
    [
      'proxy',
      ['ignition', 'api', 'api-no-sni', 'oauth', 'konnectivity-held'],
      ['api', 'apps'],
      /^ProxyReady +False +PodPending/m,
    ],
    ['upstream', ['resolver'], [], /^DNSReady +True .*UpstreamsUnreachable: no upstream DNS server answers/m],
    ['vip', ['apps'], ['apps'], /^ProxyReady +True .*unreachable: apps-https/m],
    ['api', ['api', 'api-no-sni'], ['api'], /^ProxyReady +True .*unreachable: kube-apiserver/m],
  ])(
    '%s: the rest works, the Infra says it, and it heals',
    async (fault, vm, pod, says) => {
      const { look } = await labOrder<BreakDocument>(id, 'break', fault)
      expect(failingSteps(look)).toEqual({ 'worker-1': vm, 'a pod': pod })
      expect(look.status.lines.join('\n')).toMatch(says)
      expect((await labOrder<HealDocument>(id, 'heal')).look.ok).toBe(true)
    },
    150_000,
  )

  it('vm: it is switched off and on, and has its address again', async () => {
    expect((await labOrder<BreakDocument>(id, 'break', 'vm')).look).toMatchObject({
      vms: [{ name: 'a pod', ok: true }],
      status: { ready: true },
    })
    expect((await labOrder<HealDocument>(id, 'heal')).look).toMatchObject({ ok: true, vms: [{ name: 'worker-1' }, {}] })
  })
})
