import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  deploymentKind,
  dhcpServerKind,
  dnsServerKind,
  infraKind,
  proxyServerKind,
  roleBindingKind,
  roleKind,
  serviceAccountKind,
  serviceKind,
} from '../../../src/controllers/shared/kinds.ts'
import type { KubeClient } from '../../../src/runtime/kube/client.ts'
import type { Kind } from '../../../src/runtime/kube/kind.ts'
import type { KubeObject } from '../../../src/runtime/kube/object.ts'
import type { ControlPlane } from '../../envtest/controlplane.ts'
import { infra } from '../../envtest/operator-world.ts'

/** Every kind that an Infra becomes, the components first. */
const made: readonly Kind<KubeObject>[] = [
  dhcpServerKind,
  dnsServerKind,
  proxyServerKind,
  serviceAccountKind,
  roleKind,
  roleBindingKind,
  serviceKind,
  deploymentKind,
]

const lanes = 8

/** A few at a time, as an impatient user with scripts does it. */
async function inLanes<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  const left = items.values()
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const item of left) await work(item)
    }),
  )
}

export async function createInfras(client: KubeClient, namespace: string, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `c${index}`)
  await inLanes(names, (name) => client.create(infraKind, infraOf(namespace, name)))
}

function infraOf(namespace: string, name: string) {
  const { spec } = infra(namespace, name)
  return { apiVersion: infraKind.apiVersion, kind: infraKind.kind, metadata: { name, namespace }, spec }
}

/** What is made last for each Infra, and how many of it: by then everything else is there. */
const last: readonly (readonly [Kind<KubeObject>, number])[] = [
  [deploymentKind, 3],
  [roleBindingKind, 3],
  [serviceKind, 2],
]

export async function untilAllMade(client: KubeClient, namespace: string, infras: number): Promise<void> {
  await Promise.all(last.map(([kind, each]) => untilThere(client, kind, namespace, each * infras)))
}

/** Looked at through one watch, so that the looking costs the same however long it takes. */
async function untilThere(client: KubeClient, kind: Kind<KubeObject>, namespace: string, count: number): Promise<void> {
  const { items, resourceVersion } = await client.list(kind, { namespace })
  const there = new Set(items.map(({ metadata }) => metadata.name))
  if (there.size >= count) return
  const watch = client.watch(kind, { namespace, resourceVersion, timeoutSeconds: 1800, idleMs: 300_000 })
  for await (const event of watch) {
    if (event.type !== 'bookmark') there.add(event.object.metadata.name)
    if (there.size >= count) return
  }
}

/** What was made of the Infras of a namespace, ready to be made once more in another. */
export async function copiesOf(
  client: KubeClient,
  from: string,
  to: string,
): Promise<[Kind<KubeObject>, KubeObject][]> {
  const lists = await Promise.all(
    made.map(async (kind) => {
      const { items } = await client.list(kind, { namespace: from })
      return items.filter(({ metadata }) => metadata.name !== 'default').map((item) => copyOf(kind, item, to))
    }),
  )
  return lists.flat()
}

function copyOf(kind: Kind<KubeObject>, item: KubeObject, namespace: string): [Kind<KubeObject>, KubeObject] {
  const { status: _, ...copy } = structuredClone(item) as KubeObject & { status?: unknown; spec?: object }
  const { name, labels, annotations } = item.metadata
  const metadata = { name, namespace, ...(labels && { labels }), ...(annotations && { annotations }) }
  const { clusterIP: _ip, clusterIPs: _ips, ...spec } = { ...copy.spec } as Record<string, unknown>
  const { apiVersion } = kind
  return [kind, { ...copy, apiVersion, kind: kind.kind, metadata, ...(copy.spec && { spec }) } as KubeObject]
}

export async function postAll(client: KubeClient, copies: readonly [Kind<KubeObject>, KubeObject][]): Promise<void> {
  await inLanes(copies, ([kind, object]) => client.create(kind, object))
}

/** Calls that the API server counted as changing something; its own leases do not count. */
async function writes(plane: ControlPlane): Promise<number> {
  const { body } = await plane.request<string>('/metrics')
  const lines = String(body).matchAll(/^apiserver_request_total\{([^}]*)\} (\S+)$/gm)
  let sum = 0
  for (const [, labels = '', value] of lines) {
    if (/verb="(POST|PUT|PATCH|APPLY|DELETE)"/.test(labels) && !/resource="leases"/.test(labels)) sum += Number(value)
  }
  return sum
}

/** Writes in five seconds once the first quiet second has passed; a minute without one is an answer too. */
export async function atRest(plane: ControlPlane): Promise<number> {
  let before = await writes(plane)
  for (let second = 0; second < 60; second++) {
    await sleep(1000)
    const now = await writes(plane)
    if (now === before) break
    before = now
  }
  await sleep(5000)
  return (await writes(plane)) - before
}

export async function mebibytes(pid: number, line: 'VmHWM' | 'VmRSS'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${line}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? Number.NaN) / 1024
}
