import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, inject } from 'vitest'
import { type Access, accessTo } from '../../src/lab/kubernetes/access/access.ts'
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './controlplane.ts'
import type { AddressAnswer } from './globalsetup.ts'

/**
 * A control plane for this test file alone, started before its first test and stopped after its last. For files that
 * pause, restart or compact it, or that install what others must not see. Call the returned function inside tests.
 */
export function useOwnControlPlane(options: ControlPlaneOptions = {}): () => ControlPlane {
  let plane: ControlPlane | undefined
  beforeAll(async () => {
    plane = await startControlPlane(options)
  })
  afterAll(() => plane?.stop())
  return () => required(plane)
}

/**
 * The control plane that the files of one run share, with controller manager. A test keeps to namespaces that it makes
 * with `newNamespace`; they are deleted after the last test of the file. Cluster-wide objects (CRDs, ClusterRoles) are seen by everybody:
 * `prepare` installs what the file needs of them, so that twice does no harm.
 */
export function useSharedControlPlane({ prepare = [] }: Pick<ControlPlaneOptions, 'prepare'> = {}): () => Access {
  const port = inject('sharedControlPlanePort')
  // Without the global set-up there is nobody to share with.
  if (port === undefined) return useOwnControlPlane({ controllerManager: true, prepare })
  let access: Access | undefined
  const namespaces: string[] = []
  beforeAll(async () => {
    const reached = await accessShared(port)
    await Promise.all(prepare.map((install) => install(reached)))
    access = {
      ...reached,
      async newNamespace(prefix) {
        const name = await reached.newNamespace(prefix)
        namespaces.push(name)
        return name
      },
    }
  })
  // Not after each test: of tests that run concurrently, the first to end would take the namespaces of the others.
  afterAll(async () => {
    for (const name of namespaces) await access?.request(`/api/v1/namespaces/${name}`, { method: 'DELETE' })
  })
  return () => required(access)
}

async function accessShared(port: number): Promise<Access> {
  const answer: AddressAnswer = JSON.parse(await text(connect(port, '127.0.0.1')))
  if ('error' in answer) throw new Error(`the shared control plane did not start: ${answer.error}`)
  return accessTo(answer.address)
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the control plane is there inside tests and hooks only')
  return value
}
