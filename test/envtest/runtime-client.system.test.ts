import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { Informer } from '../../src/runtime/cache/informer.ts'
import type { KubeClient } from '../../src/runtime/kube/client.ts'
import { ApiError, isAlreadyExists, isConflict, isHopeless, isKindMissing } from '../../src/runtime/kube/error.ts'
import { defineKind } from '../../src/runtime/kube/kind.ts'
import { type ConfigMap, configMap, lease } from '../../src/runtime/kube/kinds.ts'
import { newLease } from '../../src/runtime/leader/record.ts'
import { systemClock } from '../../src/runtime/time/clock.ts'
import { eventually } from '../chaos/follow.ts'
import { describeWithControlPlane } from './availability.ts'
import { clientFor, installThings, silent, type Thing, thing } from './runtime-things.ts'
import { useSharedControlPlane } from './use.ts'

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'it worked',
    (error: unknown) => error,
  )
}

describeWithControlPlane('the client', () => {
  const plane = useSharedControlPlane()
  let client: KubeClient
  let namespace: string

  beforeAll(async () => {
    await installThings(plane())
    client = await clientFor(plane().admin.kubeconfigPath)
  })
  beforeEach(async () => {
    namespace = await plane().newNamespace('client')
  })

  const aConfigMap = (name: string, data: Record<string, string>): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    data,
  })

  it('creates by apply, as the only owner, so that what is left out later goes', async () => {
    const made = await client.applyNew(configMap, aConfigMap('fields', { a: '1', b: '2' }))
    expect(made.metadata.managedFields).toMatchObject([{ manager: 'things', operation: 'Apply' }])
    const less = await client.apply(configMap, aConfigMap('fields', { a: '1' }), made.metadata.uid ?? '')
    expect(less.data).toEqual({ a: '1' })
  })

  it('an apply that changes nothing changes nothing, not even the resourceVersion', async () => {
    const made = await client.applyNew(configMap, aConfigMap('same', { a: '1' }))
    const again = await client.apply(configMap, aConfigMap('same', { a: '1' }), made.metadata.uid ?? '')
    expect(again.metadata.resourceVersion).toBe(made.metadata.resourceVersion)
  })

  it('of many who create the same, one does; nobody is overwritten', async () => {
    const attempts = Array.from({ length: 10 }, (_, i) =>
      client.applyNew(configMap, aConfigMap('race', { i: String(i) })),
    )
    const results = await Promise.allSettled(attempts)
    const winners = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    const losers = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    expect(winners).toHaveLength(1)
    expect(losers.every(isAlreadyExists)).toBe(true)
    expect(await client.get(configMap, { namespace, name: 'race' })).toEqual(winners[0])
  })

  it('keeps the fields of others', async () => {
    const made = await client.applyNew(configMap, aConfigMap('shared', { ours: '1' }))
    await plane().kubectl(['annotate', 'configmap', 'shared', '-n', namespace, 'team=blue'])
    const after = await client.apply(configMap, aConfigMap('shared', { ours: '2' }), made.metadata.uid ?? '')
    expect([after.metadata.annotations, after.data]).toEqual([{ team: 'blue' }, { ours: '2' }])
  })

  it('takes back a field that somebody edited', async () => {
    const made = await client.applyNew(configMap, aConfigMap('drift', { a: '1' }))
    await plane().kubectl(['patch', 'configmap', 'drift', '-n', namespace, '--type=merge', '-p', '{"data":{"a":"9"}}'])
    expect((await client.apply(configMap, aConfigMap('drift', { a: '1' }), made.metadata.uid ?? '')).data).toEqual({
      a: '1',
    })
  })

  it('does not touch an object that took the name of another', async () => {
    const made = await client.applyNew(configMap, aConfigMap('reborn', { a: '1' }))
    const uid = made.metadata.uid ?? ''
    await plane().kubectl(['delete', 'configmap', 'reborn', '-n', namespace])
    expect(isConflict(await failure(client.apply(configMap, aConfigMap('reborn', { a: '2' }), uid)))).toBe(true)
    await plane().kubectl(['create', 'configmap', 'reborn', '-n', namespace, '--from-literal=a=theirs'])
    expect(isConflict(await failure(client.apply(configMap, aConfigMap('reborn', { a: '2' }), uid)))).toBe(true)
    expect(isConflict(await failure(client.delete(configMap, { namespace, name: 'reborn' }, uid)))).toBe(true)
    expect((await client.get(configMap, { namespace, name: 'reborn' }))?.data).toEqual({ a: 'theirs' })
  })

  it('applies the status on its own', async () => {
    const metadata = { name: 'status', namespace }
    const made = await client.applyNew(thing, {
      apiVersion: 'runtime.test/v1',
      kind: 'Thing',
      metadata,
      spec: { size: 3 },
    })
    const status = { apiVersion: 'runtime.test/v1', kind: 'Thing', metadata, status: { made: 2 } }
    const after = await client.as('reporter').applyStatus(thing, status, made.metadata.uid ?? '')
    expect([after.spec, after.status, after.metadata.generation]).toEqual([{ size: 3 }, { made: 2 }, 1])
  })

  it('knows that a field the kind does not have will not come by trying again', async () => {
    const made = await client.applyNew(configMap, aConfigMap('typo', {}))
    const typo = { ...aConfigMap('typo', {}), dta: {} } as ConfigMap
    const error = await failure(client.apply(configMap, typo, made.metadata.uid ?? ''))
    expect(error).toMatchObject({ status: 500 })
    expect(isHopeless(error)).toBe(true)
    const metadata = { name: 'typo', namespace }
    const badThing = { apiVersion: 'runtime.test/v1', kind: 'Thing', metadata, spec: { sise: 3 } } as unknown as Thing
    expect(isHopeless(await failure(client.applyNew(thing, badThing)))).toBe(true)
  })

  it('a Service with TCP and UDP on one port survives every apply', async () => {
    const service = defineKind({ apiVersion: 'v1', kind: 'Service', plural: 'services', namespaced: true })
    const ports = ['TCP', 'UDP'].map((protocol) => ({ name: protocol.toLowerCase(), port: 53, protocol }))
    const dns = (targetPort: number) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'dns', namespace },
      spec: { ports: ports.map((port) => ({ ...port, targetPort })) },
    })
    const made = await client.applyNew(service, dns(53))
    expect(await client.apply(service, dns(5353), made.metadata.uid ?? '')).toMatchObject({
      spec: {
        ports: [
          { protocol: 'TCP', targetPort: 5353 },
          { protocol: 'UDP', targetPort: 5353 },
        ],
      },
    })
  })

  it('a Lease as we write it is accepted', async () => {
    const made = await client.create(lease, newLease({ namespace, name: 'lock' }, 'me', 15, Date.now()))
    expect(made.spec?.renewTime).toMatch(/\.\d{6}Z$/)
  })

  it('what is missing is undefined; a kind that is missing is an error that says so', async () => {
    expect(await client.get(configMap, { namespace, name: 'nothing' })).toBeUndefined()
    const ghost = defineKind({ apiVersion: 'runtime.test/v1', kind: 'Ghost', plural: 'ghosts', namespaced: true })
    const unknownGroup = defineKind({ ...ghost, apiVersion: 'ghost.test/v1' })
    for (const kind of [ghost, unknownGroup]) {
      expect(isKindMissing(await failure(client.get(kind, { namespace, name: 'x' })))).toBe(true)
      expect(isKindMissing(await failure(client.list(kind)))).toBe(true)
    }
  })

  it('lists in pages, as things were at one moment', async () => {
    const space = await plane().newNamespace('pages')
    for (let i = 0; i < 7; i++) {
      await client.applyNew(configMap, { ...aConfigMap(`o${i}`, {}), metadata: { name: `o${i}`, namespace: space } })
    }
    const { items } = await client.list(configMap, { namespace: space, pageSize: 3 })
    const names = items.map((item) => item.metadata.name).filter((name) => name.startsWith('o'))
    expect(names).toEqual(['o0', 'o1', 'o2', 'o3', 'o4', 'o5', 'o6'])
    expect(items.every((item) => item.kind === 'ConfigMap' && item.apiVersion === 'v1')).toBe(true)
  })

  it('somebody without rights is told what and where', async () => {
    const nobody = await clientFor((await plane().addUser('nobody')).kubeconfigPath)
    const error = await failure(nobody.list(configMap, { namespace }))
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 403, reason: 'Forbidden' })
    expect(String(error)).toContain('User "nobody" cannot list resource "configmaps"')
    await nobody.transport.close()
  })

  it('a watch tells what happens', async () => {
    const space = await plane().newNamespace('watch')
    const { resourceVersion } = await client.list(configMap, { namespace: space })
    const told: string[] = []
    const made = await client.applyNew(configMap, { ...aConfigMap('w', {}), metadata: { name: 'w', namespace: space } })
    await client.delete(configMap, made.metadata, made.metadata.uid ?? '')
    const options = { namespace: space, fieldSelector: 'metadata.name=w', timeoutSeconds: 1, idleMs: 30_000 }
    for await (const event of client.watch(configMap, { ...options, resourceVersion })) told.push(event.type)
    expect(told.filter((type) => type !== 'bookmark')).toEqual(['added', 'deleted'])
  })

  it('goes through a proxy when the kubeconfig names one', async () => {
    await using proxy = await startProxy()
    const kubeconfig = JSON.parse(plane().admin.kubeconfig)
    kubeconfig.clusters[0].cluster['proxy-url'] = proxy.url
    const path = `${plane().admin.kubeconfigPath}.proxied`
    await writeFile(path, JSON.stringify(kubeconfig), { mode: 0o600 })
    const proxied = await clientFor(path)
    for (let i = 0; i < 10; i++) await proxied.get(configMap, { namespace, name: 'nothing' })
    const host = new URL(plane().url).host
    expect(new Set(proxy.targets)).toEqual(new Set([host]))
    expect(proxy.targets.length).toBeLessThanOrEqual(2)
    await proxied.transport.close()
  })

  it('follows one object with no right to any other', async () => {
    const user = await plane().addUser('reader-of-one')
    const rules = [
      { apiGroups: [''], resources: ['configmaps'], resourceNames: ['mine'], verbs: ['get', 'list', 'watch'] },
    ]
    const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`
    const metadata = { name: 'reader-of-one' }
    const apiVersion = 'rbac.authorization.k8s.io/v1'
    await plane().request(`${rbac}/roles`, { method: 'POST', body: { apiVersion, kind: 'Role', metadata, rules } })
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader-of-one' }
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user.name }]
    const binding = { apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects }
    await plane().request(`${rbac}/rolebindings`, { method: 'POST', body: binding })
    const reader = await clientFor(user.kubeconfigPath)
    const options = { client: reader, kind: configMap, clock: systemClock, random: Math.random, log: silent, namespace }
    const informer = new Informer({ ...options, fieldSelector: 'metadata.name=mine' })
    informer.start()
    await client.applyNew(configMap, aConfigMap('other', {}))
    await client.applyNew(configMap, aConfigMap('mine', { v: '1' }))
    await eventually(
      () => informer.objects.get(`${namespace}/mine`)?.data?.v === '1',
      () => String(informer.lastError),
    )
    expect(informer.objects.size).toBe(1)
    await informer.stop()
    await reader.transport.close()
  })
})

/** A proxy that tunnels whatever it is asked for, and notes it. */
async function startProxy(): Promise<AsyncDisposable & { url: string; targets: string[] }> {
  const targets: string[] = []
  const server = createServer()
  server.on('connect', (request, socket) => {
    targets.push(request.url ?? '')
    const { hostname, port } = new URL(`http://${request.url}`)
    const upstream = connect(Number(port), hostname, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
    upstream.on('error', () => socket.destroy())
    socket.on('error', () => upstream.destroy())
    upstream.pipe(socket).pipe(upstream)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    targets,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
