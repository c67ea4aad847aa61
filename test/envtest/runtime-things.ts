import type { Access } from '../../src/lab/kubernetes/access/access.ts'
import { ApplySet } from '../../src/runtime/apply/apply-set.ts'
import { StatusApply } from '../../src/runtime/apply/status-apply.ts'
import { Informer } from '../../src/runtime/cache/informer.ts'
import { type Condition, statedConditions } from '../../src/runtime/conditions/conditions.ts'
import { Controller } from '../../src/runtime/controller/controller.ts'
import { controllerKeys, controllerReference, isControlledBy } from '../../src/runtime/controller/owner.ts'
import type { Reconcile } from '../../src/runtime/controller/reconcile.ts'
import { KubeClient } from '../../src/runtime/kube/client.ts'
import { isAlreadyExists } from '../../src/runtime/kube/error.ts'
import { defineKind } from '../../src/runtime/kube/kind.ts'
import {
  type ConfigMap,
  type CustomResourceDefinition,
  configMap,
  customResourceDefinition,
} from '../../src/runtime/kube/kinds.ts'
import { findAccess } from '../../src/runtime/kube/kubeconfig.ts'
import { type KubeObject, keyOf } from '../../src/runtime/kube/object.ts'
import type { Intent } from '../../src/runtime/kube/options.ts'
import { Transport } from '../../src/runtime/kube/transport.ts'
import { createLogger, type Logger } from '../../src/runtime/observe/log.ts'
import { type Clock, sleep, systemClock } from '../../src/runtime/time/clock.ts'

/** The smallest operator that does everything an operator does: a Thing asks for as many ConfigMaps as its size says. */
export interface Thing extends KubeObject {
  spec: { size: number }
  status?: { made?: number; conditions?: Condition[] }
}

export const thing = defineKind<Thing>({
  apiVersion: 'runtime.test/v1',
  kind: 'Thing',
  plural: 'things',
  namespaced: true,
})

export const silent: Logger = createLogger('silent', { write: () => undefined })

export async function clientFor(
  kubeconfigPath: string,
  fieldManager = 'things',
  clock: Clock = systemClock,
): Promise<KubeClient> {
  const access = await findAccess({ environment: {}, clock, path: kubeconfigPath })
  return new KubeClient(new Transport(access, { clock, random: Math.random, userAgent: 'runtime-test' }), fieldManager)
}

/** Twice does no harm. */
export async function installThings(plane: Access): Promise<void> {
  const client = await clientFor(plane.admin.kubeconfigPath)
  await client.applyNew(customResourceDefinition, definition).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error
  })
  const isServed = async (): Promise<boolean> =>
    client.list(thing).then(
      () => true,
      () => false,
    )
  while (!(await isServed())) await sleep(systemClock, 50)
  await client.transport.close()
}

export interface ThingOperator {
  readonly things: Informer<Thing>
  readonly configMaps: Informer<ConfigMap>
  readonly controller: Controller
  readonly informers: readonly [Informer<Thing>, Informer<ConfigMap>]
}

/** `reader` for what is only read, so that writes can be put behind a fence. */
export function thingOperator(
  reader: KubeClient,
  writer: KubeClient,
  options: { namespace?: string; workers?: number; idleMs?: number; clock?: Clock } = {},
): ThingOperator {
  const { namespace, workers = 2, clock = systemClock, ...more } = options
  const common = { client: reader, clock, random: Math.random, log: silent, namespace, ...more }
  const things = new Informer({ ...common, kind: thing })
  const byOwner = (object: ConfigMap): string[] => controllerKeys(thing)(object)
  const configMaps = new Informer({ ...common, kind: configMap, labelSelector: 'made-by=things', indexes: { byOwner } })
  const set = new ApplySet(writer)
  const statuses = new StatusApply(writer)

  const reconcile: Reconcile = async (key, { signal }) => {
    const wanted = things.objects.get(key)
    if (!wanted || wanted.metadata.deletionTimestamp) return undefined
    const existing = configMaps.objects.byIndex('byOwner', key).map((object) => ({ kind: configMap, object }))
    const desired = Array.from({ length: wanted.spec.size }, (_, index) => ({
      kind: configMap,
      object: child(wanted, index),
    }))
    const isOurs = (object: KubeObject): boolean => isControlledBy(object, wanted)
    const report = await set.apply({ desired, existing, isOurs, signal })
    await statuses.apply(thing, statusOf(wanted, report.foreign), wanted, signal)
    return undefined
  }
  const controller = new Controller({ name: 'things', reconcile, clock, log: silent, workers })
  controller.watch(things)
  controller.watch(configMaps, controllerKeys(thing))
  return { things, configMaps, controller, informers: [things, configMaps] }
}

function child(owner: Thing, index: number): ConfigMap {
  const { name, namespace = '' } = owner.metadata
  const labels = { 'made-by': 'things' }
  const metadata = { name: `${name}-${index}`, namespace, labels, ownerReferences: [controllerReference(owner)] }
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { index: String(index) } }
}

function statusOf(owner: Thing, foreign: readonly KubeObject[]): Intent<Thing> {
  const { name, namespace = '', generation = 0 } = owner.metadata
  const [stranger] = foreign
  const ready = stranger
    ? { status: 'False' as const, reason: 'NameTaken', message: `${keyOf(stranger.metadata)} belongs to somebody else` }
    : { status: 'True' as const, reason: 'AllMade', message: '' }
  const statement = { type: 'Ready', observedGeneration: generation, ...ready }
  const conditions = statedConditions(owner.status?.conditions, [statement], Date.now())
  const status = { made: owner.spec.size - foreign.length, conditions }
  return { apiVersion: owner.apiVersion, kind: owner.kind, metadata: { name, namespace }, status }
}

const text = { type: 'string' }
const definition: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.runtime.test' },
  spec: {
    group: 'runtime.test',
    scope: 'Namespaced',
    names: { kind: 'Thing', plural: 'things', singular: 'thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { size: { type: 'integer', minimum: 0 } } },
              status: {
                type: 'object',
                properties: {
                  made: { type: 'integer' },
                  conditions: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['type'],
                    items: {
                      type: 'object',
                      required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
                      properties: {
                        type: text,
                        status: text,
                        reason: text,
                        message: text,
                        observedGeneration: { type: 'integer' },
                        lastTransitionTime: { type: 'string', format: 'date-time' },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
}
