import { readFile } from 'node:fs/promises'
import { parseAllDocuments } from 'yaml'
import { isMapping } from '../../api/shape.ts'
import { serviceOfSlice } from '../../controllers/shared/caches.ts'
import { endpointSliceKind, serviceKind } from '../../controllers/shared/kinds.ts'
import { hasReadyEndpoint, viewOf } from '../../controllers/virtualingress/view.ts'
import type { ServiceView as ServiceFields, SliceView } from '../../core/plan/targets.ts'
import { failed, ok, type Result } from '../../core/result.ts'
import type { World } from '../../core/virtualingress/resolve.ts'
import { ServiceIndex } from '../../core/virtualingress/service-index.ts'
import { KubeClient } from '../../runtime/kube/client.ts'
import { findAccess } from '../../runtime/kube/kubeconfig.ts'
import type { KubeObject } from '../../runtime/kube/object.ts'
import { Transport } from '../../runtime/kube/transport.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import type { Terminal } from '../terminal.ts'

/** The Services that a preview chooses from. */

export async function servicesInFile(file: string, namespace: string): Promise<Result<World>> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    return failed({ reason: 'FileUnreadable', message: error instanceof Error ? error.message : String(error) })
  }
  const documents = parseAllDocuments(text)
  const [mistake] = documents.flatMap(({ errors }) => errors)
  if (mistake) return failed({ reason: 'InvalidYaml', message: `${file}: ${mistake.message}` })
  const objects = documents.flatMap((document) => itemsOf(document.toJS({ maxAliasCount: 100 })))
  const placed = objects.map((object) => ({ ...object, metadata: { namespace, ...object.metadata } }))
  return ok(worldOf(placed))
}

export async function servicesInCluster(
  terminal: Terminal,
  kubeconfig: string | undefined,
  namespaces: readonly string[],
): Promise<Result<World>> {
  const clock = systemClock
  try {
    const access = await findAccess({ environment: terminal.env, clock, path: kubeconfig })
    const transport = new Transport(access, { clock, random: Math.random, userAgent: 'oooi' })
    try {
      const client = new KubeClient(transport, 'oooi')
      const objects: KubeObject[] = []
      for (const namespace of namespaces) {
        for (const kind of [serviceKind, endpointSliceKind]) {
          const { items } = await client.list<KubeObject>(kind, { namespace, signal: terminal.stop })
          objects.push(...items.map((item) => ({ ...item, apiVersion: kind.apiVersion, kind: kind.kind })))
        }
      }
      return ok(worldOf(objects))
    } finally {
      await transport.close()
    }
  } catch (error) {
    return failed({ reason: 'ClusterUnreachable', message: error instanceof Error ? error.message : String(error) })
  }
}

function worldOf(objects: readonly (KubeObject & ServiceFields & SliceView)[]): World {
  const services = new ServiceIndex()
  const ready = new Set<string>()
  for (const object of objects) {
    if (object.kind === serviceKind.kind) services.put(viewOf(object))
    if (object.kind === endpointSliceKind.kind && hasReadyEndpoint(object)) ready.add(serviceOfSlice(object))
  }
  return { services, isReady: ({ namespace, name }) => ready.has(`${namespace}/${name}`) }
}

/** Objects of a List, or the one object; what is none is left out. */
function itemsOf(document: unknown): KubeObject[] {
  if (!isMapping(document)) return []
  const items: unknown[] = Array.isArray(document.items) ? document.items : [document]
  return items.filter(isObject)
}

function isObject(item: unknown): item is KubeObject {
  return (
    isMapping(item) &&
    typeof item.kind === 'string' &&
    isMapping(item.metadata) &&
    typeof item.metadata.name === 'string'
  )
}
