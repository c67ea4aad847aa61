import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { run } from '../../src/lab/host/command.ts'
import { diskRoot } from '../../src/lab/kubernetes/cluster.ts'
import { isAlive, type ProcessIdentity } from '../../src/lab/ledger/identity.ts'
import { processesIn } from '../../src/lab/ledger/namespaces.ts'
import { removeRemains } from '../../src/lab/ledger/remains.ts'
import { labIdOf, networksOf, startLabCommand, told, tracesOf, until } from '../../src/lab/testing.ts'
import { locateAssets } from '../../tools/kube/locate.ts'
import { shellPod } from './cluster-objects.ts'
import { describeWithCluster } from './use-cluster.ts'

describeWithCluster('oooi lab-cluster', () => {
  it('leaves nothing when it is stopped in the middle', async () => {
    const lab = startLabCommand(['--vms', '0', '-o', 'json'], 'lab-cluster')
    const id = await labIdOf(lab)
    await told(lab, 'control plane')
    const processes = processesIn(networksOf(id))
    expect(processes.length).toBeGreaterThan(2)
    lab.child.kill('SIGINT')
    expect(await lab.exit).toBe(1)
    await expectNothingLeft(id, processes)
  })

  it('dies with its owner, and the next run removes what is left', async () => {
    const lab = startLabCommand(['--vms', '0', '--keep', '-o', 'json'], 'lab-cluster')
    const id = await labIdOf(lab)
    const document = JSON.parse(await until('its document', () => firstLine(lab.stdout())))
    expect(document).toMatchObject({ id, nodes: [{ name: 'node-1', address: '10.128.0.31' }] })
    await runPod(document.kubeconfig)
    const processes = processesIn(networksOf(id))
    expect(await tracesOf(id)).not.toEqual([])
    lab.child.kill('SIGKILL')
    expect(await lab.exit).toBe('SIGKILL')
    await until('the removal', async () => (await removeRemains(Date.now())).includes(id) || undefined)
    await expectNothingLeft(id, processes)
  })
})

/** A pod, so that there are containers with mounts and control groups. */
async function runPod(kubeconfig: string): Promise<void> {
  const kubectl = join((await locateAssets('control-plane', process.env)) ?? '', 'kubectl')
  const pod = JSON.stringify(shellPod('default', 'shell'))
  await run(kubectl, ['--kubeconfig', kubeconfig, 'apply', '-f', '-'], { input: pod })
  await run(kubectl, ['--kubeconfig', kubeconfig, 'wait', '--for=condition=Ready', 'pod/shell', '--timeout=60s'])
}

function firstLine(text: string): string | undefined {
  return text.includes('\n') ? text.slice(0, text.indexOf('\n')) : undefined
}

async function expectNothingLeft(id: string, processes: readonly ProcessIdentity[]): Promise<void> {
  expect(await tracesOf(id)).toEqual([])
  expect(readdirSync(diskRoot).filter((name) => name.includes(id))).toEqual([])
  expect((await run('find', ['/sys/fs/cgroup', '-name', `${id}*`])).trim()).toBe('')
  expect(processes.filter(isAlive)).toEqual([])
}
