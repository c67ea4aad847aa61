import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { User } from '../../src/lab/kubernetes/access/access.ts'
import { eventually } from '../chaos/follow.ts'
import { describeWithControlPlane } from './availability.ts'
import { useOwnControlPlane } from './use.ts'

interface Candidate {
  readonly process: ChildProcess
  readonly said: string[]
  readonly exit: Promise<unknown[]>
}

describeWithControlPlane('leader election among processes', () => {
  const plane = useOwnControlPlane()
  let namespace: string
  let candidates: Candidate[]

  beforeEach(async () => {
    namespace = await plane().newNamespace('leader')
    candidates = []
  })
  afterEach(() => {
    for (const candidate of candidates) candidate.process.kill('SIGKILL')
  })

  function start(name: string, user: User = plane().admin): Candidate {
    const script = fileURLToPath(new URL('runtime-candidate.ts', import.meta.url))
    const child = spawn(process.execPath, [script, user.kubeconfigPath, namespace, name], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const said: string[] = []
    child.stdout.on('data', (chunk: Buffer) => said.push(...chunk.toString().trim().split('\n')))
    const candidate = { process: child, said, exit: once(child, 'exit') }
    candidates.push(candidate)
    return candidate
  }

  const says = (candidate: Candidate, word: string) =>
    eventually(
      () => candidate.said.some((line) => line.startsWith(word)),
      () => `it said ${candidate.said}, not ${word}`,
      60_000,
    )
  const writtenBy = async (name: string): Promise<number> => {
    const path = `/api/v1/namespaces/${namespace}/configmaps?labelSelector=by%3D${name}`
    return (await plane().request<{ items: unknown[] }>(path)).body.items.length
  }
  const holder = async (): Promise<string> => {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/lock`
    return (await plane().request<{ spec: { holderIdentity: string } }>(path)).body.spec.holderIdentity
  }
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

  it('hands over when the leader is told to stop', async () => {
    const first = start('first')
    await says(first, 'elected')
    const second = start('second')
    await pause(1000)
    expect(second.said).toEqual([])
    first.process.kill('SIGTERM')
    expect(await first.exit).toEqual([0, null])
    await says(second, 'elected')
    expect(await holder()).toContain('second-')
  })

  it('a leader that was stopped by a signal writes nothing when it wakes', async () => {
    const first = start('first')
    await says(first, 'elected')
    await eventually(
      async () => (await writtenBy('first')) > 20,
      () => 'it writes nothing',
    )
    const second = start('second')
    await pause(1000)
    first.process.kill('SIGSTOP')
    await says(second, 'elected')
    const before = await writtenBy('first')
    await eventually(
      async () => (await writtenBy('second')) > 20,
      () => 'the second writes nothing',
    )
    first.process.kill('SIGCONT')
    await says(first, 'lost')
    expect(await first.exit).toEqual([1, null])
    expect(await writtenBy('first')).toBe(before)
    expect(await holder()).toContain('second-')
  })

  it('a leader that cannot reach the API server stops writing and knows that it lost', async () => {
    const first = start('first')
    await says(first, 'elected')
    plane().pause()
    try {
      await says(first, 'lost: the lease was not renewed')
    } finally {
      plane().resume()
    }
    const [code] = await first.exit
    expect(code).toBe(1)
  })

  it('needs no more rights than get, create and update of its Lease', async () => {
    const user = await plane().addUser('elector')
    const rules = [
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
    ]
    const rbac = '/apis/rbac.authorization.k8s.io/v1'
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'elector' }, rules }
    await plane().request(`${rbac}/namespaces/${namespace}/roles`, { method: 'POST', body: role })
    const binding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'elector' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'elector' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'elector' }],
    }
    await plane().request(`${rbac}/namespaces/${namespace}/rolebindings`, { method: 'POST', body: binding })
    const first = start('first', user)
    await says(first, 'elected')
    first.process.kill('SIGTERM')
    expect(await first.exit).toEqual([0, null])
    expect(await holder()).toBe('')
  })
})
