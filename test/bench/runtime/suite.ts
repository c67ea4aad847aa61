import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { KubeClient } from '../../../src/runtime/kube/client.ts'
import { type ControlPlane, startControlPlane } from '../../envtest/controlplane.ts'
import { clientFor, installThings, thing } from '../../envtest/runtime-things.ts'
import type { Bench, Suite, SuiteResult } from '../bench.ts'
import { cpuSeconds, loadCpuSeconds, machineCpuSeconds } from '../cpu.ts'
import { ownVersion } from '../peers/version.ts'
import { median, rotate, type Sample } from '../samples.ts'
import { type Relay, startRelay } from './relay.ts'

const sizes = [500, 5000]
const contenders = [
  { name: 'oooi', script: new URL('ours.ts', import.meta.url) },
  { name: 'client-node', script: new URL('peer.ts', import.meta.url) },
] as const

const method = `A controller that makes one ConfigMap for each object and reports it in the object's status, on a real API server on
the same machine, with four workers. The objects are there before it starts; the rate is objects per second from the
start signal until every object has its ConfigMap and its status. The CPU time is that of the controller alone. The
peer is the same controller written with the informer and the server-side apply of @kubernetes/client-node. Both run from
sources, which takes some 35 MiB more than a bundle.`

interface Run {
  readonly sample: Sample
  readonly callsPerObject: number
  readonly connections: number
  readonly kilobytesPerObject: number
  readonly mebibytes: number
  /** Calls in the three seconds after all was done. */
  readonly callsWhenDone: number
}

export const runtimeSuite: Suite = {
  name: 'runtime',
  about: 'a trivial controller over 500 and 5,000 objects: beside @kubernetes/client-node',
  async run(bench: Bench): Promise<SuiteResult> {
    await using plane = await startControlPlane()
    await using relay = await startRelay(new URL(plane.url))
    await installThings(plane)
    const kubeconfig = await relayedKubeconfig(bench, plane, relay)
    const client = await clientFor(plane.admin.kubeconfigPath, 'bench')
    const measures: SuiteResult['measures'][number][] = []
    const remarks: string[] = []
    for (const size of sizes) {
      const runs = contenders.map(({ name }) => ({ name, runs: [] as Run[] }))
      // The large one takes minutes; a third of the rounds tells as much as it can.
      const rounds = size > 1000 ? Math.max(1, Math.floor(bench.pace.rounds / 3)) : bench.pace.rounds
      for (let round = 0; round < rounds; round++) {
        for (const [place, { name, script }] of rotate([...contenders.entries()], round)) {
          const result = await run(plane, relay, client, kubeconfig, script, size)
          runs[place]?.runs.push(result)
          bench.say(`${round + 1}/${rounds} ${size} objects, ${name}: ${remark([result])}`)
        }
      }
      measures.push({
        name: `${size} objects`,
        unit: 'objects',
        contenders: runs.map(({ name, runs: all }) => ({ name, samples: all.map(({ sample }) => sample) })),
      })
      for (const { name, runs: all } of runs) remarks.push(`${size} objects, ${name}: ${remark(all)}.`)
    }
    await client.transport.close()
    const versions = [
      { name: 'oooi', version: await ownVersion() },
      { name: 'client-node', version: await peerVersion() },
    ]
    const start = (): never => {
      throw new Error('started by the suite itself')
    }
    return {
      method: `${method}\n\n${remarks.map((line) => `- ${line}`).join('\n')}`,
      contenders: versions.map((contender) => ({ ...contender, start })),
      leftOut: [],
      measures,
    }
  },
}

function remark(runs: readonly Run[]): string {
  const of = (quantity: (run: Run) => number): number => median(runs.map(quantity))
  return [
    `${of((it) => it.callsPerObject).toFixed(2)} API calls and ${of((it) => it.kilobytesPerObject).toFixed(1)} kB per object`,
    `${of((it) => it.connections)} connections`,
    `${Math.round(of((it) => it.mebibytes))} MiB at most`,
    `${of((it) => it.callsWhenDone)} calls in the three seconds after`,
  ].join(', ')
}

async function run(
  plane: ControlPlane,
  relay: Relay,
  client: KubeClient,
  kubeconfig: string,
  script: URL,
  size: number,
): Promise<Run> {
  const namespace = await plane.newNamespace('bench')
  await fill(client, namespace, size)
  const child = spawn(process.execPath, [fileURLToPath(script), kubeconfig, namespace], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    await once(child.stdout, 'data')
    const pid = child.pid ?? 0
    const callsBefore = await apiCalls(plane)
    const cpu = async () => ({
      own: await cpuSeconds([pid]),
      // The API server and etcd work for the contender, and this process watches.
      known: (await cpuSeconds(Object.values(plane.pids))) + (await loadCpuSeconds()),
      machine: await machineCpuSeconds(),
    })
    const before = await cpu()
    const startedAt = performance.now()
    relay.count()
    child.stdin.write('go\n')
    await untilDone(client, namespace, size)
    const seconds = (performance.now() - startedAt) / 1000
    const after = await cpu()
    const own = after.own - before.own
    const foreign = after.machine - before.machine - own - (after.known - before.known)
    const wire = relay.count()
    const callsAfter = await apiCalls(plane)
    await sleep(3000)
    return {
      sample: {
        perSecond: size / seconds,
        cpuMicrosecondsPerOperation: (own * 1e6) / size,
        lostShare: 0,
        foreignCores: Math.max(0, foreign / seconds),
      },
      callsPerObject: (callsAfter - callsBefore) / size,
      callsWhenDone: (await apiCalls(plane)) - callsAfter,
      connections: wire.connections,
      kilobytesPerObject: (wire.bytesUp + wire.bytesDown) / 1000 / size,
      mebibytes: await highWaterMebibytes(pid),
    }
  } finally {
    child.kill('SIGKILL')
  }
}

async function fill(client: KubeClient, namespace: string, size: number): Promise<void> {
  const lanes = Array.from({ length: 8 }, async (_, lane) => {
    for (let i = lane; i < size; i += 8) {
      const metadata = { name: `thing-${i}`, namespace }
      await client.create(thing, { apiVersion: 'runtime.test/v1', kind: 'Thing', metadata, spec: { size: 1 } })
    }
  })
  await Promise.all(lanes)
}

/** Looked at through one watch, so that the looking costs the same however long it takes. */
async function untilDone(client: KubeClient, namespace: string, size: number): Promise<void> {
  const { items, resourceVersion } = await client.list(thing, { namespace })
  const done = new Set(items.filter((item) => item.status?.made === 1).map(({ metadata }) => metadata.name))
  const watch = client.watch(thing, { namespace, resourceVersion, timeoutSeconds: 1800, idleMs: 150_000 })
  for await (const event of watch) {
    if (done.size >= size) return
    if (event.type !== 'bookmark' && event.object.status?.made === 1) done.add(event.object.metadata.name)
    if (done.size >= size) return
  }
}

/** What the API server counted for the two kinds; those of the bench itself are a few in thousands. */
async function apiCalls(plane: ControlPlane): Promise<number> {
  const { body } = await plane.request<string>('/metrics')
  const lines = String(body).matchAll(/^apiserver_request_total\{([^}]*)\} (\S+)$/gm)
  let calls = 0
  for (const [, labels = '', value] of lines) if (/resource="(things|configmaps)"/.test(labels)) calls += Number(value)
  return calls
}

async function highWaterMebibytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1024
}

async function relayedKubeconfig(bench: Bench, plane: ControlPlane, relay: Relay): Promise<string> {
  const path = join(bench.directory, 'kubeconfig')
  await writeFile(path, plane.admin.kubeconfig.replaceAll(plane.url, relay.url), { mode: 0o600 })
  return path
}

async function peerVersion(): Promise<string> {
  const path = fileURLToPath(import.meta.resolve('@kubernetes/client-node'))
  return JSON.parse(await readFile(join(path, '../../package.json'), 'utf8')).version
}
