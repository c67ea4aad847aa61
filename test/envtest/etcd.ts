import { join } from 'node:path'
import { etcdFlags } from '../../src/lab/kubernetes/controlplane/flags.ts'
import { type Component, startComponent } from './component.ts'

export interface Etcd {
  readonly component: Component
  readonly url: string
}

export async function startEtcd(assets: string, directory: string, ports: readonly [number, number]): Promise<Etcd> {
  const [client, peer] = ports.map((port) => `http://127.0.0.1:${port}`)
  if (!client || !peer) throw new Error('etcd needs two ports')
  const flags = etcdFlags(join(directory, 'etcd'), client, peer)
  return { component: await startComponent(join(assets, 'etcd'), flags, join(directory, 'etcd.log')), url: client }
}

/** Forgets all history up to now. The API server notices when it asks etcd, not while its own memory has the answer. */
export async function compact(url: string): Promise<number> {
  const { header } = await post(`${url}/v3/kv/range`, { key: Buffer.from('\0').toString('base64') })
  const { revision } = header
  await post(`${url}/v3/kv/compaction`, { revision, physical: true })
  return Number(revision)
}

/** etcd's own JSON gateway to its gRPC API; bytes are base64 and 64-bit numbers are strings. */
async function post(url: string, body: object): Promise<{ header: { revision: string } }> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body), signal: AbortSignal.timeout(10_000) })
  const text = await response.text()
  if (!response.ok) throw new Error(`POST ${url} answered ${response.status}: ${text}`)
  return JSON.parse(text)
}
