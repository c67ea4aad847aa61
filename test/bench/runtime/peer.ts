import { once } from 'node:events'
import {
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  type KubernetesListObject,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  type V1ObjectMeta,
} from '@kubernetes/client-node'

/**
 * The same operator written with `@kubernetes/client-node` alone, as its examples do it: two informers, a set of keys
 * that need work, four workers, server-side apply. node peer.ts <kubeconfig> <namespace>
 */
const [kubeconfig = '', namespace = ''] = process.argv.slice(2)
const config = new KubeConfig()
config.loadFromFile(kubeconfig)
const core = config.makeApiClient(CoreV1Api)
const custom = config.makeApiClient(CustomObjectsApi)
const things = { group: 'runtime.test', version: 'v1', plural: 'things', namespace }
const asApply = setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply)

interface Thing {
  apiVersion?: string
  kind?: string
  metadata: V1ObjectMeta & { name: string }
  spec: { size: number }
  status?: { conditions?: { lastTransitionTime: string }[] }
}

const known = new Map<string, Thing>()
const dirty = new Set<string>()
const waiting: (() => void)[] = []
const enqueue = (name: string): void => {
  dirty.add(name)
  waiting.shift()?.()
}

const thingInformer = makeInformer<Thing>(
  config,
  `/apis/runtime.test/v1/namespaces/${namespace}/things`,
  async (): Promise<KubernetesListObject<Thing>> => custom.listNamespacedCustomObject(things),
)
const configMapInformer = makeInformer<V1ConfigMap>(config, `/api/v1/namespaces/${namespace}/configmaps`, () =>
  core.listNamespacedConfigMap({ namespace, labelSelector: 'made-by=things' }),
)
for (const verb of ['add', 'update'] as const) {
  thingInformer.on(verb, (thing) => {
    known.set(thing.metadata.name, thing)
    enqueue(thing.metadata.name)
  })
  configMapInformer.on(verb, (object) => {
    for (const owner of object.metadata?.ownerReferences ?? []) enqueue(owner.name)
  })
}

async function reconcile(thing: Thing): Promise<void> {
  const { name, uid = '', generation = 0 } = thing.metadata
  const owner = { apiVersion: 'runtime.test/v1', kind: 'Thing', name, uid, controller: true }
  const options = { namespace, fieldManager: 'things', force: true }
  for (let index = 0; index < thing.spec.size; index++) {
    const metadata = { name: `${name}-${index}`, namespace, labels: { 'made-by': 'things' }, ownerReferences: [owner] }
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { index: String(index) } }
    await core.patchNamespacedConfigMap({ ...options, name: metadata.name, body }, asApply)
  }
  const before = thing.status?.conditions?.[0]?.lastTransitionTime
  const lastTransitionTime = before ?? `${new Date().toISOString().slice(0, 19)}Z`
  const ready = { type: 'Ready', status: 'True', reason: 'AllMade', message: '', observedGeneration: generation }
  const status = { made: thing.spec.size, conditions: [{ ...ready, lastTransitionTime }] }
  const body = { apiVersion: 'runtime.test/v1', kind: 'Thing', metadata: { name, namespace }, status }
  await custom.patchNamespacedCustomObjectStatus({ ...things, ...options, name, body }, asApply)
}

async function work(): Promise<void> {
  for (;;) {
    const [name] = dirty
    if (name === undefined) {
      await new Promise<void>((resolve) => waiting.push(resolve))
      continue
    }
    dirty.delete(name)
    const thing = known.get(name)
    if (thing) await reconcile(thing).catch(() => enqueue(name))
  }
}

process.stdout.write('ready\n')
await once(process.stdin, 'data')
for (const informer of [thingInformer, configMapInformer]) {
  informer.on('error', () => setTimeout(() => informer.start(), 1000))
  await informer.start()
}
await Promise.all([1, 2, 3, 4].map(work))
