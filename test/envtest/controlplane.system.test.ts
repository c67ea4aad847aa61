import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { versions } from '../../tools/kube/components.ts'
import { describeWithControlPlane } from './availability.ts'
import { startControlPlane } from './controlplane.ts'
import { useOwnControlPlane } from './use.ts'

interface Named {
  readonly metadata: { readonly uid: string; readonly resourceVersion: string }
}

const configMap = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  ...more,
})

/** Waits for what takes its time on a busy machine; the test's own time limit is the limit. */
async function eventually(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await sleep(50)
}

describeWithControlPlane('a control plane with controller manager', () => {
  const plane = useOwnControlPlane({ controllerManager: true })
  const configMaps = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`

  it('has the pinned version', async () => {
    const { serverVersion } = JSON.parse(await plane().kubectl(['version', '-o', 'json']))
    expect(serverVersion.gitVersion).toBe(`v${versions.kubernetes}`)
  })

  it('keeps what kubectl applies', async () => {
    const namespace = await plane().newNamespace()
    const input = JSON.stringify(configMap('greeting', { data: { text: 'hello' } }))
    await plane().kubectl(['apply', '-n', namespace, '-f', '-'], { input })
    const answer = await plane().request<{ data: object }>(`${configMaps(namespace)}/greeting`)
    expect(answer.status).toBe(200)
    expect(answer.body.data).toEqual({ text: 'hello' })
  })

  it('collects what an owner leaves behind', async () => {
    const path = configMaps(await plane().newNamespace())
    const owner = await plane().request<Named>(path, { method: 'POST', body: configMap('owner') })
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.body.metadata.uid }]
    const owned = configMap('owned', { metadata: { name: 'owned', ownerReferences } })
    expect((await plane().request(path, { method: 'POST', body: owned })).status).toBe(201)
    await plane().request(`${path}/owner`, { method: 'DELETE' })
    await eventually(async () => (await plane().request(`${path}/owned`)).status === 404)
  })

  it('deletes a namespace with all that is in it', async () => {
    const namespace = await plane().newNamespace()
    await plane().request(configMaps(namespace), { method: 'POST', body: configMap('inside') })
    await plane().request(`/api/v1/namespaces/${namespace}`, { method: 'DELETE' })
    await eventually(async () => (await plane().request(`/api/v1/namespaces/${namespace}`)).status === 404)
  })

  it('makes pods of a Deployment under the real admission', async () => {
    const namespace = await plane().newNamespace()
    await plane().kubectl(['create', 'deployment', 'web', '--image=none', '-n', namespace])
    const pods = `/api/v1/namespaces/${namespace}/pods`
    await eventually(async () => (await plane().request<{ items: unknown[] }>(pods)).body.items.length === 1)
  })

  it('lets a user do what RBAC says and no more', async () => {
    const namespace = await plane().newNamespace()
    const user = await plane().addUser('system:serviceaccount:any/thing+else', ['readers'])
    expect(await plane().kubectl(['auth', 'whoami', '-o', 'json'], { user })).toContain('any/thing+else')
    const refused = await plane().request<{ message: string }>(configMaps(namespace), { user })
    expect(refused.status).toBe(403)
    expect(refused.body.message).toContain('"system:serviceaccount:any/thing+else" cannot list resource "configmaps"')

    await plane().kubectl(['create', 'role', 'read', '--verb=list', '--resource=configmaps', '-n', namespace])
    await plane().kubectl(['create', 'rolebinding', 'read', '--role=read', '--group=readers', '-n', namespace])
    await eventually(async () => (await plane().request(configMaps(namespace), { user })).status === 200)
    expect((await plane().request(configMaps('default'), { user })).status).toBe(403)
  })
})

describeWithControlPlane('a control plane on a bad day', () => {
  const plane = useOwnControlPlane()
  const path = '/api/v1/namespaces/default/configmaps'

  it('does not answer while paused and does afterwards', async () => {
    plane().pause()
    await expect(plane().request(path, { timeoutMs: 500 })).rejects.toThrow('abort')
    plane().resume()
    expect((await plane().request(path)).status).toBe(200)
  })

  // Pod templates, because nobody else here watches them.
  const watching = /^apiserver_longrunning_requests\{.*resource="podtemplates".*verb="WATCH".*\} 1$/m

  it.each([
    ['SIGTERM', 'ends in good order'],
    ['SIGKILL', 'breaks off'],
  ] as const)('restarts by %s so that a watch %s and the data stay', async (signal, end) => {
    const name = `kept-${signal.toLowerCase()}`
    await plane().request(path, { method: 'POST', body: configMap(name) })
    const watch = plane()
      .request('/api/v1/namespaces/default/podtemplates?watch=true', { timeoutMs: 100_000 })
      .then(
        ({ status }) => (status === 200 ? 'ends in good order' : `answers ${status}`),
        () => 'breaks off',
      )
    await eventually(async () => watching.test((await plane().request<string>('/metrics')).body))
    const before = plane().pids['kube-apiserver']
    await plane().restart(signal)
    expect(await watch).toBe(end)
    expect(plane().pids['kube-apiserver']).not.toBe(before)
    expect((await plane().request(`${path}/${name}`)).status).toBe(200)
  })

  it('answers 410 to a watch from before the compaction', async () => {
    const created = await plane().request<Named>(path, { method: 'POST', body: configMap('old') })
    const { resourceVersion } = created.body.metadata
    await plane().request(`${path}/old`, { method: 'DELETE' })
    expect(await plane().compactEtcd()).toBeGreaterThan(Number(resourceVersion))
    // The API server answers recent history from memory; a new one has only etcd to ask.
    await plane().restart()
    const watch = await plane().request<{ type?: string; object?: { code: number }; code?: number }>(
      `${path}?watch=true&timeoutSeconds=5&resourceVersion=${resourceVersion}`,
    )
    expect(watch.body.object?.code ?? watch.body.code).toBe(410)
  })
})

describeWithControlPlane('the end of a control plane', () => {
  const gone = (pids: readonly number[]) => pids.every((pid) => !existsSync(`/proc/${pid}`))

  it('leaves no process and no file', async () => {
    const plane = await startControlPlane()
    const pids = Object.values(plane.pids)
    const { directory } = plane.address
    expect(pids).toHaveLength(2)
    expect(existsSync(directory)).toBe(true)
    plane.pause()
    await plane.stop()
    expect(gone(pids)).toBe(true)
    expect(existsSync(directory)).toBe(false)
  })

  describe('whose test process is killed', () => {
    let pids: number[] = []
    let directory = ''
    beforeAll(async () => {
      const module = new URL('./controlplane.ts', import.meta.url).href
      const script = `const { startControlPlane } = await import(${JSON.stringify(module)})
        const { pids, address } = await startControlPlane()
        console.log(JSON.stringify([address.directory, ...Object.values(pids)]))
        setInterval(() => {}, 1000)`
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [line] = await once(createInterface(child.stdout), 'line')
      ;[directory, ...pids] = JSON.parse(line)
      child.kill('SIGKILL')
      await once(child, 'exit')
    })
    afterAll(() => {
      for (const pid of pids.filter((one) => existsSync(`/proc/${one}`))) process.kill(pid, 'SIGKILL')
    })

    it('leaves no process and no file', async () => {
      expect(pids).toHaveLength(2)
      await eventually(() => gone(pids) && !existsSync(directory))
    })
  })
})
