import { type CustomResourceDefinition, customResourceDefinitions } from '../../api/crd/definition.ts'
import { failed, ok, type Problem, type Result } from '../../core/result.ts'
import type { KubeClient } from '../../runtime/kube/client.ts'
import { ApiError } from '../../runtime/kube/error.ts'
import { defineKind } from '../../runtime/kube/kind.ts'
import type { KubeObject } from '../../runtime/kube/object.ts'
import { type Clock, sleep } from '../../runtime/time/clock.ts'

export interface InstalledKind {
  readonly name: string
  readonly change: 'created' | 'updated' | 'unchanged'
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly message?: string
}

interface StoredDefinition extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] }
}

const definitionKind = defineKind<StoredDefinition>({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
})

const servedWithinMs = 30_000
const pollMs = 100

/** All our kinds in the cluster, served; also where an older version, or another program's of the same names, was. */
export async function installKinds(
  client: KubeClient,
  clock: Clock,
  stop: AbortSignal,
): Promise<Result<InstalledKind[]>> {
  const installed: InstalledKind[] = []
  try {
    for (const definition of customResourceDefinitions()) installed.push(await installKind(client, definition, stop))
    const until = clock.elapsed() + servedWithinMs
    for (const { name } of installed) {
      const obstacle = await waitUntilServed(client, name, clock, until, stop)
      if (obstacle !== undefined) {
        return failed({ reason: 'KindsNotServed', message: `${placeOf(client)} does not serve ${name}: ${obstacle}` })
      }
    }
    return ok(installed)
  } catch (error) {
    if (error instanceof ApiError) return failed(problemOf(client, error))
    throw error
  }
}

async function installKind(
  client: KubeClient,
  definition: CustomResourceDefinition,
  stop: AbortSignal,
): Promise<InstalledKind> {
  const { name } = definition.metadata
  const before = await client.get(definitionKind, { name }, stop)
  if (!before) {
    await client.applyNew(definitionKind, definition, stop)
    return { name, change: 'created' }
  }
  const after = await client.apply(definitionKind, definition, before.metadata.uid ?? '', stop)
  const isSame = after.metadata.resourceVersion === before.metadata.resourceVersion
  return { name, change: isSame ? 'unchanged' : 'updated' }
}

/** What stands in the way after all that time; undefined when nothing does. */
async function waitUntilServed(
  client: KubeClient,
  name: string,
  clock: Clock,
  untilMs: number,
  stop: AbortSignal,
): Promise<string | undefined> {
  for (;;) {
    const conditions = (await client.get(definitionKind, { name }, stop))?.status?.conditions ?? []
    if (isTrue(conditions, 'Established')) return undefined
    if (clock.elapsed() > untilMs || stop.aborted) {
      const words = conditions.flatMap(({ status, message }) => (status === 'False' && message ? [message] : []))
      return words.join('; ') || `not within ${servedWithinMs / 1000} seconds`
    }
    await sleep(clock, pollMs, stop)
  }
}

function isTrue(conditions: readonly Condition[], type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === 'True')
}

/** One sentence that says what was tried, where, and what the API server said to it. */
function problemOf(client: KubeClient, error: ApiError): Problem {
  const tried = `the kinds could not be installed into ${placeOf(client)}: ${error.message}`
  if (error.status === 0 || error.reason === 'Malformed') return { reason: 'ClusterUnreachable', message: tried }
  if (error.status === 401 || error.status === 403) return { reason: 'ClusterForbidden', message: tried }
  return { reason: error.status >= 500 ? 'ClusterUnreachable' : 'KindsRefused', message: tried }
}

function placeOf({ transport: { access } }: KubeClient): string {
  return `${access.server} (${access.origin})`
}
