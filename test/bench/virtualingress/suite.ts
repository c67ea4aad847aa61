import { run } from '../../../src/lab/host/command.ts'
import { startControlPlane } from '../../envtest/controlplane.ts'
import { installKinds } from '../../envtest/installed-kinds.ts'
import { clientFor } from '../../envtest/runtime-things.ts'
import type { Bench, Suite, SuiteResult } from '../bench.ts'
import { cpuSeconds, loadCpuSeconds, machineCpuSeconds } from '../cpu.ts'
import { startManager } from '../manager.ts'
import { atRest, mebibytes } from '../operator/world.ts'
import { checkout, ownVersion } from '../peers/version.ts'
import { percentile } from '../samples.ts'
import { churn } from './churn.ts'

const [ingresses, servicesEach, perSecond] = [200, 10, 5]

const method = `The bundled manager with only this controller, on a real API server on the same machine: ${ingresses} VirtualIngresses with
${servicesEach} paths each, ${ingresses * servicesEach} Services that share most of their labels. For a minute Services are deleted and made anew under other
names, at random, ${perSecond} a second. The time is from the watch event of a Service to that of the Ingress that leads to it, both
as a third party receives them. In the end every path is compared with what an oracle says that knows nothing of the resolver.`

/** No peer does this; the numbers stand alone. */
export const virtualIngressSuite: Suite = {
  name: 'virtualingress',
  about: '200 VirtualIngresses and 2,000 Services that are recreated at random for a minute',
  async run(bench: Bench): Promise<SuiteResult> {
    await run(process.execPath, ['tools/build.ts'], { cwd: checkout })
    await using plane = await startControlPlane()
    await installKinds(plane)
    const client = await clientFor(plane.admin.kubeconfigPath, 'bench')
    const manager = await startManager(plane, ['--controllers', 'virtualingress'])
    try {
      const namespace = await plane.newNamespace('bench')
      const seconds = bench.pace.seconds < 1 ? 5 : 60
      const cpu = async () => ({
        own: await cpuSeconds([manager.pid]),
        known: (await cpuSeconds(Object.values(plane.pids))) + (await loadCpuSeconds()),
        machine: await machineCpuSeconds(),
      })
      const before = await cpu()
      const startedAt = performance.now()
      const result = await churn({
        client,
        namespace,
        ingresses,
        servicesEach,
        seconds,
        perSecond,
        random: Math.random,
      })
      const tookSeconds = (performance.now() - startedAt) / 1000
      const after = await cpu()
      const own = after.own - before.own
      const foreign = after.machine - before.machine - own - (after.known - before.known)
      const remark = [
        `${result.recreations} Services recreated in ${seconds} s`,
        `${result.wrong.length} of ${ingresses * servicesEach} paths wrong in the end`,
        `Service to Ingress ${Math.round(percentile(result.latenciesMs, 0.5))} ms (p99 ${Math.round(percentile(result.latenciesMs, 0.99))} ms, at most ${Math.round(percentile(result.latenciesMs, 1))} ms)`,
        `${await atRest(plane)} writes in five seconds at rest`,
        `the manager has ${Math.round(await mebibytes(manager.pid, 'VmHWM'))} MiB at most`,
        `strangers used ${Math.max(0, foreign / tookSeconds).toFixed(1)} cores meanwhile`,
      ].join(', ')
      bench.say(remark)
      const sample = {
        perSecond: result.recreations / seconds,
        lostShare: result.wrong.length / (ingresses * servicesEach),
        foreignCores: Math.max(0, foreign / tookSeconds),
      }
      return {
        method: `${method}\n\n- ${remark}.`,
        contenders: [{ name: 'oooi', version: await ownVersion() }],
        leftOut: [],
        measures: [
          {
            name: `${perSecond} recreations a second`,
            unit: 'Services',
            contenders: [{ name: 'oooi', samples: [sample] }],
          },
        ],
      }
    } finally {
      await manager.stop()
      await client.transport.close()
    }
  },
}
