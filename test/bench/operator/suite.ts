import { setTimeout as sleep } from 'node:timers/promises'
import { dnsServerKind, infraKind } from '../../../src/controllers/shared/kinds.ts'
import { run } from '../../../src/lab/host/command.ts'
import type { KubeClient } from '../../../src/runtime/kube/client.ts'
import { type ControlPlane, startControlPlane } from '../../envtest/controlplane.ts'
import { installKinds, installMultus } from '../../envtest/installed-kinds.ts'
import { attachment } from '../../envtest/operator-world.ts'
import { clientFor } from '../../envtest/runtime-things.ts'
import type { Bench, Suite, SuiteResult } from '../bench.ts'
import { cpuSeconds, loadCpuSeconds, machineCpuSeconds } from '../cpu.ts'
import { startManager } from '../manager.ts'
import { checkout, ownVersion } from '../peers/version.ts'
import { median, percentile, type Sample } from '../samples.ts'
import { atRest, copiesOf, createInfras, mebibytes, postAll, untilAllMade } from './world.ts'

const sizes = [1, 20, 500]
const edits = 100

const method = `The bundled manager, with the rights it is installed with, on a real API server on the same machine; no pods run. The
rate is Infras per second, from the first one posted until all their objects are there (17 for each: components, accounts,
roles, bindings, Deployments, Services). "the objects alone" posts the same objects once more, eight at a time, with
nobody to think about them: what the API server itself allows. [Where the time goes](benchmarks/operator-profile.md).`

export const operatorSuite: Suite = {
  name: 'operator',
  about: 'one, 20 and 500 Infras to all their objects, steady state, memory, time of an edit',
  async run(bench: Bench): Promise<SuiteResult> {
    await run(process.execPath, ['tools/build.ts'], { cwd: checkout })
    const measures: SuiteResult['measures'][number][] = []
    const remarks: string[] = []
    for (const size of sizes) {
      const ours: Sample[] = []
      const bare: Sample[] = []
      const rounds = size > 100 ? 1 : bench.pace.rounds
      for (let round = 0; round < rounds; round++) {
        const result = await measure(size)
        ours.push(result.ours)
        bare.push(result.bare)
        const line = `${size} Infras: ${result.remark}`
        bench.say(`${round + 1}/${rounds} ${line}`)
        if (round === rounds - 1) remarks.push(`${line}.`)
      }
      measures.push({
        name: size === 1 ? 'one Infra' : `${size} Infras`,
        unit: 'Infras',
        contenders: [
          { name: 'oooi', samples: ours },
          { name: 'the objects alone', samples: bare },
        ],
      })
    }
    return {
      method: `${method}\n\n${remarks.map((line) => `- ${line}`).join('\n')}`,
      contenders: [{ name: 'oooi', version: await ownVersion() }],
      leftOut: [{ name: 'the Go original', why: 'its images cannot be had from a package registry' }],
      measures,
    }
  },
}

interface Measured {
  readonly ours: Sample
  readonly bare: Sample
  readonly remark: string
}

async function measure(size: number): Promise<Measured> {
  await using plane = await startControlPlane()
  await installKinds(plane)
  await installMultus(plane)
  const client = await clientFor(plane.admin.kubeconfigPath, 'bench')
  const manager = await startManager(plane)
  try {
    const [namespace, other] = [await plane.newNamespace('bench'), await plane.newNamespace('bare')]
    await plane.kubectl(['apply', '-f', '-'], { input: JSON.stringify(attachment(namespace)) })
    const ours = await timed(plane, size, [manager.pid], async () => {
      await Promise.all([createInfras(client, namespace, size), untilAllMade(client, namespace, size)])
    })
    const writesAtRest = await atRest(plane)
    const editMs = await timeEdits(client, namespace)
    const [now, most] = [await mebibytes(manager.pid, 'VmRSS'), await mebibytes(manager.pid, 'VmHWM')]
    await manager.stop()
    const copies = await copiesOf(client, namespace, other)
    const bare = await timed(plane, size, [], () => postAll(client, copies))
    const remark = [
      `all there after ${(size / ours.perSecond).toFixed(2)} s (the objects alone ${(size / bare.perSecond).toFixed(2)} s)`,
      `${writesAtRest} writes in five seconds at rest`,
      `an edited Infra reaches its DNSServer in ${Math.round(median(editMs))} ms (p99 ${Math.round(percentile(editMs, 0.99))} ms)`,
      `the manager has ${Math.round(now)} MiB, ${Math.round(most)} MiB at most`,
    ].join(', ')
    return { ours, bare, remark }
  } finally {
    await manager.stop()
    await client.transport.close()
  }
}

async function timed(plane: ControlPlane, size: number, pids: number[], work: () => Promise<void>): Promise<Sample> {
  const known = async () => (await cpuSeconds(Object.values(plane.pids))) + (await loadCpuSeconds())
  const before = { own: await cpuSeconds(pids), known: await known(), machine: await machineCpuSeconds() }
  const startedAt = performance.now()
  await work()
  const seconds = (performance.now() - startedAt) / 1000
  const own = (await cpuSeconds(pids)) - before.own
  const foreign = (await machineCpuSeconds()) - before.machine - own - ((await known()) - before.known)
  return {
    perSecond: size / seconds,
    ...(pids.length > 0 && { cpuMicrosecondsPerOperation: (own * 1e6) / size }),
    lostShare: 0,
    foreignCores: Math.max(0, foreign / seconds),
  }
}

/** From the edit's being accepted until the component has it. */
async function timeEdits(client: KubeClient, namespace: string): Promise<number[]> {
  const { resourceVersion } = await client.list(dnsServerKind, { namespace })
  const seen = new Map<string, number>()
  const stop = new AbortController()
  const watching = (async () => {
    const watch = client.watch(dnsServerKind, {
      namespace,
      resourceVersion,
      timeoutSeconds: 600,
      idleMs: 600_000,
      signal: stop.signal,
    })
    for await (const event of watch) {
      if (event.type === 'bookmark') continue
      const { spec = {} } = event.object as { spec?: { cacheTTL?: string } }
      if (spec.cacheTTL && !seen.has(spec.cacheTTL)) seen.set(spec.cacheTTL, performance.now())
    }
  })().catch(() => undefined)
  const times: number[] = []
  for (let index = 0; index < edits; index++) {
    const cacheTTL = `${100 + index}s`
    const startedAt = performance.now()
    const live = await client.get(infraKind, { namespace, name: 'c0' })
    const spec = structuredClone(live?.spec) as { infraComponents: { dns: object } }
    Object.assign(spec.infraComponents.dns, { cacheTTL })
    const metadata = { name: 'c0', namespace }
    await client.apply(
      infraKind,
      { apiVersion: infraKind.apiVersion, kind: 'Infra', metadata, spec },
      live?.metadata.uid ?? '',
    )
    while (!seen.has(cacheTTL) && performance.now() - startedAt < 30_000) await sleep(1)
    times.push((seen.get(cacheTTL) ?? Number.POSITIVE_INFINITY) - startedAt)
  }
  stop.abort()
  await watching
  return times
}
