import { setTimeout as sleep } from 'node:timers/promises'
import type { Access } from './access/access.ts'
import type { Node } from './node/node.ts'

interface NodeObject {
  readonly metadata: { readonly name: string }
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

/** The names of the nodes that are Ready in the eyes of the API server. */
export async function readyNodes(access: Access): Promise<string[]> {
  const { body } = await access.request<{ items?: NodeObject[] }>('/api/v1/nodes')
  const isReady = ({ status }: NodeObject): boolean =>
    status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false
  return (body.items ?? []).filter(isReady).map((node) => node.metadata.name)
}

/** Pods can be made: every node is Ready, and there is a service account for them. */
export async function untilReady(access: Access, nodes: readonly Node[], stop: AbortSignal): Promise<void> {
  for (const { plan, logs } of nodes) {
    await poll(`node ${plan.name} Ready; its logs are ${logs}`, stop, async () =>
      (await readyNodes(access)).includes(plan.name),
    )
  }
  const account = '/api/v1/namespaces/default/serviceaccounts/default'
  await poll(account, stop, async () => (await access.request(account)).status === 200)
}

export async function untilContainerd(node: Node, stop: AbortSignal): Promise<void> {
  await poll(`containerd of ${node.plan.name}; its logs are ${node.logs}`, stop, () =>
    node.run(['/run/bin/ctr', 'version']).then(
      () => true,
      () => false,
    ),
  )
}

const withinMs = 60_000

async function poll(what: string, stop: AbortSignal, look: () => Promise<boolean>): Promise<void> {
  for (const deadlineMs = performance.now() + withinMs; performance.now() < deadlineMs; ) {
    if (await look()) return
    await sleep(100, undefined, { signal: stop })
  }
  throw new Error(`waited ${withinMs / 1000} s in vain for ${what}`)
}
