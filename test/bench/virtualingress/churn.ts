import { setTimeout as sleep } from 'node:timers/promises'
import { ingressKind, serviceKind, virtualIngressKind } from '../../../src/controllers/shared/kinds.ts'
import type { KubeClient } from '../../../src/runtime/kube/client.ts'
import type { KubeObject } from '../../../src/runtime/kube/object.ts'

/** VirtualIngresses whose Services are recreated under other names all the time, and who should lead where. */
export interface ChurnOptions {
  readonly client: KubeClient
  readonly namespace: string
  readonly ingresses: number
  /** Each is one path of its VirtualIngress. */
  readonly servicesEach: number
  readonly seconds: number
  readonly perSecond: number
  /** 0 to 1; the same sequence gives the same churn. */
  readonly random: () => number
}

export interface ChurnResult {
  readonly recreations: number
  /** From the event of a Service to that of the Ingress that leads to it, both as a third party sees them. */
  readonly latenciesMs: readonly number[]
  /** Paths that do not lead where they should, after everything came to rest. */
  readonly wrong: readonly string[]
}

interface Backend {
  readonly ingress: number
  readonly path: number
  round: number
}

type MutableMap = Map<string, number>

export async function churn(options: ChurnOptions): Promise<ChurnResult> {
  const { client, namespace, ingresses, servicesEach, seconds, perSecond, random } = options
  const backends = Array.from({ length: ingresses * servicesEach }, (_, index) => ({
    ingress: Math.floor(index / servicesEach),
    path: index % servicesEach,
    round: 0,
  }))
  await inLanes(backends, (backend) => createService(options, backend))
  const numbers = Array.from({ length: ingresses }, (_, index) => index)
  await inLanes(numbers, (number) => createVirtualIngress(options, number))
  await untilRight(options, backends)

  const watched = await watchBoth(client, namespace)
  const startedAt = performance.now()
  let recreations = 0
  const recreate = async (backend: Backend): Promise<void> => {
    await client.delete(serviceKind, { name: nameOf(backend), namespace }, watched.uidOf(nameOf(backend)) ?? '')
    backend.round++
    await createService(options, backend)
    recreations++
  }
  const running = new Set<Promise<void>>()
  const busy = new Set<Backend>()
  while (performance.now() - startedAt < seconds * 1000) {
    const backend = backends[Math.floor(random() * backends.length)]
    // One that was made a moment ago may not have been told to us yet.
    if (backend && !busy.has(backend) && watched.uidOf(nameOf(backend)) !== undefined) {
      busy.add(backend)
      const work = recreate(backend).finally(() => {
        busy.delete(backend)
        running.delete(work)
      })
      running.add(work)
    }
    await sleep(1000 / perSecond)
  }
  await Promise.all(running)
  const wrong = await untilRight(options, backends)
  const latenciesMs = await watched.stop()
  return { recreations, latenciesMs, wrong }
}

/** Knows nothing of the resolver: a name is made of the path and how often it was recreated. */
const nameOf = ({ ingress, path, round }: Backend): string => `s-${ingress}-${path}-${round}`

async function createService({ client, namespace }: ChurnOptions, backend: Backend): Promise<void> {
  const labels = {
    'cluster.x-k8s.io/cluster-name': 'bench',
    'cluster.x-k8s.io/tenant-service-namespace': `apps-${backend.ingress % 10}`,
    'cluster.x-k8s.io/tenant-service-name': `s-${backend.ingress}-${backend.path}`,
  }
  // Headless: the addresses of Services are fewer than these.
  const spec = { clusterIP: 'None', ports: [{ port: 80 }] }
  await client.create(serviceKind, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: nameOf(backend), namespace, labels },
    spec,
  })
}

async function createVirtualIngress({ client, namespace, servicesEach }: ChurnOptions, ingress: number): Promise<void> {
  const paths = Array.from({ length: servicesEach }, (_, path) => ({
    path: `/${path}`,
    pathType: 'Prefix',
    backend: {
      service: {
        matchLabels: {
          'cluster.x-k8s.io/cluster-name': 'bench',
          'cluster.x-k8s.io/tenant-service-namespace': `apps-${ingress % 10}`,
          'cluster.x-k8s.io/tenant-service-name': `s-${ingress}-${path}`,
        },
        port: { number: 80 },
      },
    },
  }))
  const { apiVersion, kind } = virtualIngressKind
  const spec = { rules: [{ host: `v-${ingress}.example.com`, http: { paths } }] }
  await client.create(virtualIngressKind, { apiVersion, kind, metadata: { name: `v-${ingress}`, namespace }, spec })
}

/** What is still wrong when all is right, or after half a minute. */
async function untilRight(options: ChurnOptions, backends: readonly Backend[]): Promise<string[]> {
  for (let attempt = 0; ; attempt++) {
    const { items } = await options.client.list(ingressKind, { namespace: options.namespace })
    const leads = new Map(items.flatMap(leadsOf))
    const wrong = backends
      .map((backend) => [`v-${backend.ingress}-generated/${backend.path}`, nameOf(backend)] as const)
      .filter(([route, name]) => leads.get(route) !== name)
      .map(([route, name]) => `${route} leads to ${leads.get(route)}, not to ${name}`)
    if (wrong.length === 0 || attempt === 100) return wrong
    await sleep(300)
  }
}

function leadsOf({ metadata, spec }: KubeObject & { spec?: IngressSpec }): [string, string][] {
  const paths = (spec?.rules ?? []).flatMap(({ http }) => http?.paths ?? [])
  return paths.map(({ path = '', backend }) => [`${metadata.name}${path}`, backend?.service?.name ?? ''])
}

interface IngressSpec {
  readonly rules?: readonly {
    readonly http?: {
      readonly paths?: readonly {
        readonly path?: string
        readonly backend?: { readonly service?: { readonly name?: string } }
      }[]
    }
  }[]
}

/** When each Service came, and when an Ingress first led to it. */
async function watchBoth(client: KubeClient, namespace: string) {
  const stop = new AbortController()
  const appeared: MutableMap = new Map()
  const followed: MutableMap = new Map()
  const uids = new Map<string, string>()
  const services = await client.list(serviceKind, { namespace })
  for (const { metadata } of services.items) uids.set(metadata.name, metadata.uid ?? '')
  const ingresses = await client.list(ingressKind, { namespace })
  for (const [, name] of ingresses.items.flatMap(leadsOf)) followed.set(name, 0)
  const options = { namespace, timeoutSeconds: 600, idleMs: 600_000, signal: stop.signal }

  const watchServices = async (): Promise<void> => {
    for await (const event of client.watch(serviceKind, { ...options, resourceVersion: services.resourceVersion })) {
      if (event.type !== 'added') continue
      const { name, uid = '' } = event.object.metadata
      uids.set(name, uid)
      appeared.set(name, performance.now())
    }
  }
  const watchIngresses = async (): Promise<void> => {
    for await (const event of client.watch(ingressKind, { ...options, resourceVersion: ingresses.resourceVersion })) {
      if (event.type === 'bookmark') continue
      const now = performance.now()
      for (const [, name] of leadsOf(event.object)) if (!followed.has(name)) followed.set(name, now)
    }
  }
  const watching = Promise.allSettled([watchServices(), watchIngresses()])
  return {
    uidOf: (name: string): string | undefined => uids.get(name),
    async stop(): Promise<number[]> {
      await sleep(300)
      stop.abort()
      await watching
      return [...appeared].flatMap(([name, at]) => {
        const then = followed.get(name)
        return then === undefined ? [] : [Math.max(0, then - at)]
      })
    },
  }
}

async function inLanes<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const lanes = 8
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (let index = lane; index < items.length; index += lanes) {
        const item = items[index]
        if (item !== undefined) await work(item)
      }
    }),
  )
}
