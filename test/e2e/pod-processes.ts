import type { Cluster } from '../../src/lab/kubernetes/cluster.ts'
import type { Node } from '../../src/lab/kubernetes/node/node.ts'
import { until } from '../../src/lab/testing.ts'
import { namespace } from './use-operator.ts'

/** Pods seen from below: the processes that they are on their node. */

export interface Pod {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string }
  readonly spec: { readonly nodeName: string }
  readonly status: { readonly podIP: string }
}

export async function componentPods(cluster: Cluster, command: 'dhcp' | 'dns' | 'proxy'): Promise<Pod[]> {
  const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=app%3D${command}-server`
  const { items } = (await cluster.request<{ items: Pod[] }>(path)).body
  return items.filter((pod) => !pod.metadata.deletionTimestamp)
}

export interface PodProcess {
  /** As the node counts. */
  readonly pid: number
}

/** oooi's process in the pod; the pod's name is its host name. */
export async function podProcess(node: Node, command: string, pod: string): Promise<PodProcess> {
  return processOf(node, `/opt/oooi/oooi.mjs ${command}`, pod)
}

/** That of the stock program beside it. */
export function envoyProcess(node: Node, pod: string): Promise<PodProcess> {
  return processOf(node, '/usr/local/bin/envoy', pod)
}

async function processOf(node: Node, program: string, pod: string): Promise<PodProcess> {
  const script = `for pid in $(pgrep -f "${program}"); do
    grep -qzx "HOSTNAME=${pod}" /proc/$pid/environ && echo $pid && exit; done; exit 1`
  const look = (): Promise<string | undefined> => node.run(['sh', '-c', script]).catch(() => undefined)
  return { pid: Number(await until(`the process of ${pod}`, look)) }
}

/** All sockets that anybody could send to, such as `udp 192.168.100.2:67`, in the pod's own network. */
export async function listeners(node: Node, { pid }: PodProcess): Promise<string[]> {
  const told = await node.run(['nsenter', `--target=${pid}`, '--net', 'ss', '-Hlntuw'])
  const sockets = told
    .split('\n')
    .filter(Boolean)
    .map((line) => line.trim().split(/\s+/))
  return [...new Set(sockets.map(([protocol, , , , local]) => `${protocol} ${local}`))].toSorted()
}
