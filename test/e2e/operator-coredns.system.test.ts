import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { until } from '../../src/lab/testing.ts'
import { findCoredns } from '../../tools/coredns/coredns.ts'
import { corednsImage } from '../../tools/image/images.ts'
import { componentPods, podProcess } from './pod-processes.ts'
import { describeInLongRun, useCluster } from './use-cluster.ts'
import { InstalledOperator, namespace } from './use-operator.ts'

/** The stock image cannot be pulled here: it is put together from the program, with the same way to start and user. */
const image = 'oooi.test/coredns:lab'

describeInLongRun('CoreDNS as engine, on a real node', () => {
  const cluster = useCluster({ nodes: 1, namespaceVms: 1 })
  let operator: InstalledOperator

  beforeAll(async () => {
    const archive = join(cluster().ledger.directory, 'coredns.tar')
    writeFileSync(archive, await corednsImage(image, await findCoredns(process.env)))
    for (const node of cluster().nodes) await node.importImage(archive)
    operator = await InstalledOperator.serving(cluster(), {
      values: { corednsImage: image },
      dns: { engine: 'coredns', reloadInterval: '2s' },
    })
  })

  const domain = () => cluster().plan.lab.domain
  const patchEntries = (...entries: object[]) => {
    const patch = { spec: { infraComponents: { dns: { staticEntries: entries } } } }
    return cluster().kubectl(['patch', 'infra', 'lab', '-n', namespace, '--type=merge', '-p', JSON.stringify(patch)])
  }
  const pods = async () => (await componentPods(cluster(), 'dns')).map(({ metadata }) => metadata.name)

  it('boots a machine through it', async () => {
    const reports = await cluster().bootMachines()
    expect(reports.flatMap(({ steps }) => steps.filter((step) => !step.ok))).toEqual([])
  })

  it('serves a change within seconds, from the same pod, and says so', async () => {
    const before = await pods()
    await patchEntries({ hostname: `registry.${domain()}`, ip: '192.168.100.77' })
    const changedAtMs = performance.now()
    await until('the new name', async () =>
      (await operator.resolve(`registry.${domain()}`)) === '192.168.100.77' ? true : undefined,
    )
    process.stderr.write(`a change was served after ${Math.round(performance.now() - changedAtMs)} ms\n`)
    await operator.untilReady()
    expect(await pods()).toEqual(before)
    const { status, metadata } = await operator.get<{
      metadata: { generation: number }
      status: { servingGeneration: number }
    }>('dnsservers/lab-dns')
    expect(status.servingGeneration).toBe(metadata.generation)
  })

  it('answers on while oooi is gone, and CoreDNS comes back by itself', async () => {
    const [node] = cluster().nodes
    const [pod] = await componentPods(cluster(), 'dns')
    if (!node || !pod) throw new Error('no pod')
    const { pid } = await podProcess(node, 'dns', pod.metadata.name)
    await node.run(['kill', '-STOP', String(pid)])
    expect(await operator.resolve(`registry.${domain()}`)).toBe('192.168.100.77')
    await node.run(['kill', '-CONT', String(pid)])
    await node.run(['sh', '-c', 'kill -KILL $(pgrep -x coredns)'])
    const answer = () => operator.resolve(`registry.${domain()}`)
    await until('an answer', async () => ((await answer()) === '192.168.100.77' ? true : undefined), 60_000)
    await operator.untilReady()
  })
})
