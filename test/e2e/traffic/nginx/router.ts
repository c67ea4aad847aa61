import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startProcess } from '../../../../src/lab/host/process.ts'
import type { Cluster } from '../../../../src/lab/kubernetes/cluster.ts'
import { startRelay } from '../../../../src/lab/kubernetes/relay/relay.ts'
import { inNamespace } from '../../../../src/lab/network/build.ts'
import { provideNginx } from '../../../../tools/nginx/nginx.ts'
import type { Door } from '../visitor.ts'
import { nginxConfiguration, type RoutedIngress } from './configuration.ts'

interface Slice {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> }
  readonly ports?: readonly { readonly port?: number }[]
  readonly endpoints?: readonly {
    readonly addresses: readonly string[]
    readonly conditions?: { readonly ready?: boolean }
  }[]
}

interface Secret {
  readonly metadata: { readonly name: string }
  readonly data?: Readonly<Record<string, string>>
}

const lookEveryMs = 100

/** nginx on a node, and beside it what keeps its configuration that of one Ingress. */
export async function startNginx(
  cluster: Cluster,
  ingress: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<Door> {
  const [node] = cluster.nodes
  if (!node) throw new Error('the cluster has no node')
  const directory = join(cluster.ledger.directory, 'nginx')
  mkdirSync(directory)
  const settings = { directory, httpPort: 8000, httpsPort: 8443 }
  let configuration = ''
  const look = async (): Promise<boolean> => {
    const wanted = nginxConfiguration(
      await routedIngress(cluster, ingress),
      await podAddresses(cluster, ingress.namespace),
      settings,
    )
    if (wanted === configuration) return false
    await writeCertificates(cluster, ingress.namespace, directory)
    writeFileSync(join(directory, 'nginx.conf'), wanted)
    configuration = wanted
    return true
  }
  await look()
  const command = [await provideNginx(), '-c', join(directory, 'nginx.conf'), '-p', directory]
  const nginx = startProcess(cluster.ledger, {
    what: 'nginx',
    command: inNamespace(node.plan.namespace, command),
    logFile: join(directory, 'nginx.log'),
    graceMs: 0,
  })
  void (async () => {
    while (!signal.aborted) {
      // A worker with open connections stays until they end; that is how they survive a new configuration.
      if (await look().catch(() => false)) process.kill(nginx.pid, 'SIGHUP')
      await sleep(lookEveryMs)
    }
  })()
  const relay = (port: number): Promise<number> => startRelay(cluster.ledger, node.plan.namespace, '127.0.0.1', port)
  return { http: await relay(settings.httpPort), https: await relay(settings.httpsPort), ca: cluster.ca }
}

async function routedIngress(
  cluster: Cluster,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<RoutedIngress | undefined> {
  const path = `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses/${name}`
  const { status, body } = await cluster.request<RoutedIngress>(path)
  return status === 200 ? body : undefined
}

/** By Service: addresses and ports of its ready pods. */
async function podAddresses(cluster: Cluster, namespace: string): Promise<Map<string, string[]>> {
  const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`
  const { items } = (await cluster.request<{ items: Slice[] }>(path)).body
  const addresses = new Map<string, string[]>()
  for (const { metadata, ports = [], endpoints = [] } of items) {
    const name = metadata.labels?.['kubernetes.io/service-name'] ?? ''
    const ready = endpoints.filter(({ conditions }) => conditions?.ready !== false)
    const found = ready.flatMap((endpoint) => endpoint.addresses.map((address) => `${address}:${ports[0]?.port}`))
    addresses.set(name, [...(addresses.get(name) ?? []), ...found])
  }
  return addresses
}

async function writeCertificates(cluster: Cluster, namespace: string, directory: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/secrets?fieldSelector=type%3Dkubernetes.io%2Ftls`
  const { items } = (await cluster.request<{ items: Secret[] }>(path)).body
  for (const { metadata, data } of items) {
    for (const ending of ['crt', 'key']) {
      const content = Buffer.from(data?.[`tls.${ending}`] ?? '', 'base64')
      writeFileSync(join(directory, `${metadata.name}.${ending}`), content, { mode: 0o600 })
    }
  }
}
