import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Access } from './access/access.ts'
import type { Node } from './node/node.ts'

/** What one does with a cluster, beyond plain requests. */
export interface ClusterActions {
  /** Server-side apply of objects or of YAML. */
  apply(manifests: string | readonly object[]): Promise<void>
  /**
   * Such as `waitFor('deployment/dns', 'condition=Available', namespace)`: what `kubectl wait --for` understands; a kind
   * without a name means all of it. When it does not come, the error says what happened in the namespace.
   */
  waitFor(resource: string, condition: string, namespace: string, withinSeconds?: number): Promise<void>
  /** Runs a program in the first container of `pod` (or of `deployment/name`) and gives what it printed. */
  exec(namespace: string, pod: string, command: readonly string[]): Promise<string>
  logs(namespace: string, pod: string): Promise<string>
  /** Puts an archive of an OCI image onto every node. */
  importImage(archive: Buffer): Promise<void>
}

export function clusterActions(access: Access, nodes: readonly Node[], disk: string): ClusterActions {
  let imported = 0
  return {
    apply: (manifests) => applyManifests(access, manifests),
    waitFor: async (resource, condition, namespace, withinSeconds = 100) => {
      const which = resource.includes('/') ? [resource] : [resource, '--all']
      const wait = ['wait', '-n', namespace, `--for=${condition}`, `--timeout=${withinSeconds}s`, ...which]
      await access.kubectl(wait).catch(async (error: unknown) => {
        throw new Error(`${String(error)}\n${await happenings(access, namespace)}`, { cause: error })
      })
    },
    exec: (namespace, pod, command) => access.kubectl(['exec', '-n', namespace, pod, '--', ...command]),
    logs: (namespace, pod) => access.kubectl(['logs', '-n', namespace, pod]),
    importImage: async (archive) => {
      const file = join(disk, `image-${imported++}.tar`)
      writeFileSync(file, archive)
      await Promise.all(nodes.map((node) => node.importImage(file)))
    },
  }
}

/** What there is to see in a namespace when something in it does not come. */
async function happenings(access: Access, namespace: string): Promise<string> {
  const views = [
    ['get', 'pods', '-o', 'wide'],
    ['events'],
    ['logs', '--all-containers', '--tail=5', '-l', '!none', '--prefix'],
  ]
  const seen = await Promise.all(views.map((view) => access.kubectl([...view, '-n', namespace]).catch(String)))
  return seen.join('\n')
}

export async function applyManifests(access: Access, manifests: string | readonly object[]): Promise<void> {
  const input = typeof manifests === 'string' ? manifests : manifests.map((one) => JSON.stringify(one)).join('\n---\n')
  await access.kubectl(['apply', '--server-side', '--field-manager=lab', '-f', '-'], { input })
}
