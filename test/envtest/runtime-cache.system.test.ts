import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { Informer } from '../../src/runtime/cache/informer.ts'
import type { KubeClient } from '../../src/runtime/kube/client.ts'
import { type ConfigMap, configMap } from '../../src/runtime/kube/kinds.ts'
import { systemClock } from '../../src/runtime/time/clock.ts'
import { eventually } from '../chaos/follow.ts'
import { describeWithControlPlane } from './availability.ts'
import { removeKinds } from './installed-kinds.ts'
import { clientFor, installThings, silent, thing } from './runtime-things.ts'
import { useOwnControlPlane } from './use.ts'

describeWithControlPlane('the cache, on an API server with bad days', () => {
  const plane = useOwnControlPlane()
  let client: KubeClient
  let namespace: string
  let informer: Informer<ConfigMap>
  let told: string[]

  beforeAll(async () => {
    client = await clientFor(plane().admin.kubeconfigPath)
  })
  beforeEach(async () => {
    namespace = await plane().newNamespace('cache')
    informer = follow()
  })
  afterEach(() => informer.stop())

  function follow(idleMs = 150_000): Informer<ConfigMap> {
    const options = { client, kind: configMap, namespace, clock: systemClock, random: Math.random, log: silent, idleMs }
    const follower = new Informer(options)
    told = []
    follower.onChange(({ type, object }) => told.push(`${type} ${object.metadata.name}`))
    follower.start()
    return follower
  }

  /** By hand, not through the client under test. */
  const put = (name: string, value: string) =>
    plane().request(`/api/v1/namespaces/${namespace}/configmaps/${name}?fieldManager=hand&force=true`, {
      method: 'PATCH',
      contentType: 'application/apply-patch+yaml',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } },
    })
  const remove = (name: string) =>
    plane().request(`/api/v1/namespaces/${namespace}/configmaps/${name}`, { method: 'DELETE' })
  const contents = () =>
    [...informer.objects.list()].map(({ metadata, data }) => `${metadata.name}=${data?.value}`).sort()
  const until = (...wanted: string[]) =>
    eventually(
      () => contents().join() === wanted.join(),
      () => `${contents()} instead of ${wanted}: ${JSON.stringify(informer.stats())} ${informer.lastError}`,
      90_000,
    )

  it('follows, and drops what nobody reads', async () => {
    await put('a', '1')
    await put('a', '2')
    await put('b', '1')
    await remove('b')
    await until('a=2')
    await informer.synced
    expect(informer.objects.get(`${namespace}/a`)?.metadata.managedFields).toBeUndefined()
  })

  it.each([['SIGTERM'], ['SIGKILL']] as const)('goes on after a restart of the API server (%s)', async (signal) => {
    await put('a', '1')
    await until('a=1')
    await plane().restart(signal)
    await put('b', '1')
    await remove('a')
    await until('b=1')
    expect(told.toSorted()).toEqual(['added a', 'added b', 'deleted a'])
  })

  it('notices an API server that froze, and goes on when it thaws', async () => {
    await put('a', '1')
    await until('a=1')
    await informer.stop()
    informer = follow(3_000)
    await until('a=1')
    plane().pause()
    await eventually(
      () => informer.stats().idle > 0,
      () => JSON.stringify(informer.stats()),
      60_000,
    )
    expect(contents()).toEqual(['a=1'])
    plane().resume()
    await put('b', '1')
    await until('a=1', 'b=1')
    expect(told).toEqual(['added a', 'added b'])
  })

  it('lists again when the history it stood on was compacted away', async () => {
    await put('a', '1')
    await put('b', '1')
    await put('c', '1')
    await until('a=1', 'b=1', 'c=1')
    // The watch must not see what follows: it is cut, and the next one is held back.
    const blocked = blockWatches(client)
    await plane().restart('SIGKILL')
    await remove('a')
    await put('b', '2')
    await remove('c')
    await put('c', '1')
    await put('d', '1')
    await plane().compactEtcd()
    await plane().restart()
    blocked.open()
    await until('b=2', 'c=1', 'd=1')
    expect(informer.stats()).toMatchObject({ lists: 2, expired: 1 })
    expect(told.slice(3).sort()).toEqual(['added c', 'added d', 'deleted a', 'deleted c', 'updated b'])
  })

  it('waits for a kind that comes later', async () => {
    await removeKinds(plane(), 'things.runtime.test')
    const things = new Informer({
      client,
      kind: thing,
      clock: systemClock,
      random: Math.random,
      log: silent,
      optional: true,
    })
    things.start()
    await things.synced
    expect(things.installed).toBe(false)
    await installThings(plane())
    const body = { apiVersion: 'runtime.test/v1', kind: 'Thing', metadata: { name: 'late' }, spec: { size: 1 } }
    await plane().request(`/apis/runtime.test/v1/namespaces/${namespace}/things`, { method: 'POST', body })
    await eventually(
      () => things.objects.size === 1,
      () => String(things.lastError),
      60_000,
    )
    expect(things.installed).toBe(true)
    await things.stop()
  })
})

/** Keeps every new watch waiting until opened. */
function blockWatches(client: KubeClient): { open(): void } {
  const { watch } = client
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  client.watch = async function* (kind, options) {
    await opened
    client.watch = watch
    yield* client.watch(kind, options)
  }
  return { open }
}
