import { beforeAll, expect, it } from 'vitest'
import { until } from '../../src/lab/testing.ts'
import { componentPods, envoyProcess, podProcess } from './pod-processes.ts'
import { describeInLongRun, useCluster } from './use-cluster.ts'
import { InstalledOperator, namespace } from './use-operator.ts'

/** The journeys of a proxy's pod: the other test has Envoy, here it is exchanged for our own engine and killed. */
describeInLongRun('the pod of a proxy, on a real node', () => {
  const cluster = useCluster({ nodes: 1, namespaceVms: 1 })
  let operator: InstalledOperator

  beforeAll(async () => {
    operator = await InstalledOperator.serving(cluster())
  })

  const boots = async () => {
    const reports = await cluster().bootMachines()
    return reports.flatMap(({ steps }) => steps.filter((step) => !step.ok))
  }
  const patchProxy = (proxy: object) => {
    const patch = JSON.stringify({ spec: { infraComponents: { proxy } } })
    return cluster().kubectl(['patch', 'infra', 'lab', '-n', namespace, '--type=merge', '-p', patch])
  }
  const onlyPod = async () => {
    const [pod, ...more] = await componentPods(cluster(), 'proxy')
    const [node] = cluster().nodes
    if (!pod || !node || more.length > 0) throw new Error('not exactly one pod')
    return { pod, node, name: pod.metadata.name }
  }
  const condition = async (type: string) =>
    (await operator.conditions('proxyservers/lab-proxy')).find((one) => one.type === type)

  it('says what Envoy has taken', async () => {
    expect(await boots()).toEqual([])
    await operator.untilCondition('Programmed', 'True', 'proxyservers/lab-proxy')
    expect(await condition('BackendsHealthy')).toMatchObject({ status: 'True' })
  })

  it('comes back when either of its two programs is killed', async () => {
    const { node, name } = await onlyPod()
    await node.run(['kill', '-KILL', String((await podProcess(node, 'proxy', name)).pid)])
    expect(await boots()).toEqual([])
    await node.run(['kill', '-KILL', String((await envoyProcess(node, name)).pid)])
    await until('a boot', async () => ((await boots()).length === 0 ? true : undefined), 60_000)
    await operator.untilReady()
    expect((await onlyPod()).name).toBe(name)
  })

  it('drains Envoy before the pod is gone, and the next pod has its address at once', async () => {
    const { name } = await onlyPod()
    const told = cluster().kubectl(['logs', '-f', '--tail=1', '-n', namespace, name, '-c', 'proxy'])
    const startedAtMs = performance.now()
    await cluster().kubectl(['delete', 'pod', '-n', namespace, '-l', 'app=proxy-server', '--wait=true'])
    const drained = (await told).split('\n').find((line) => line.includes('Envoy is drained'))
    process.stderr.write(`the pod was gone after ${Math.round(performance.now() - startedAtMs)} ms: ${drained}\n`)
    expect(drained).toBeDefined()
    const events = await cluster().kubectl(['get', 'events', '-n', namespace, '-o', 'jsonpath={.items[*].reason}'])
    expect(events).not.toContain('FailedPreStopHook')
    await operator.untilReady()
    expect(await boots()).toEqual([])
  })

  it('becomes another pod with the embedded engine, and machines boot through that', async () => {
    const { name } = await onlyPod()
    await patchProxy({ engine: 'embedded' })
    const replaced = async () => {
      const pods = await componentPods(cluster(), 'proxy')
      return pods.length === 1 && pods[0]?.metadata.name !== name ? true : undefined
    }
    await until('another pod', replaced, 60_000)
    await operator.untilReady()
    expect(await boots()).toEqual([])
    expect(await condition('Programmed')).toMatchObject({ status: 'True' })
  })
})
