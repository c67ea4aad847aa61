import { join } from 'node:path'
import type { KindDefinition } from '../../api/kinds.ts'
import { apiVersion } from '../../api/meta.ts'
import type { Reason } from '../../api/reasons.ts'
import { ok } from '../../core/result.ts'
import { appliedStatement, troubleStatements } from '../../core/status/engine.ts'
import type { Statement } from '../../core/status/statement.ts'
import type { Engine, EngineContext, EngineStatus } from '../../engines/engine.ts'
import { NeighbourWatch } from '../../engines/neighbours/watch.ts'
import { Informer } from '../../runtime/cache/informer.ts'
import { registerRuntimeMetrics } from '../../runtime/controller/metrics.ts'
import type { ClusterAccess } from '../../runtime/kube/access.ts'
import { KubeClient } from '../../runtime/kube/client.ts'
import { defineKind } from '../../runtime/kube/kind.ts'
import { type KubeObject, keyOf, type ObjectRef } from '../../runtime/kube/object.ts'
import { Transport } from '../../runtime/kube/transport.ts'
import { LastGoodCopy } from '../../runtime/source/last-good-copy.ts'
import type { ResourceSource } from '../../runtime/source/source.ts'
import { WatchSource } from '../../runtime/source/watch.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import type { Served } from '../standalone/serve.ts'
import { EngineConditions } from './engine-conditions.ts'
import { neighboursIn, readObject, servedPart } from './object.ts'
import { PodEngine } from './pod-engine.ts'
import { StatusWriter } from './status-writer.ts'

/** Problems of getting at the object, not of the object. */
const aboutTheWayHere: readonly string[] = ['ApiUnreachable', 'ObjectMissing'] satisfies Reason[]

/** Owns the fields of the status that the engine writes; the manager's own name is `oooi`. */
const fieldManager = 'oooi-engine'

export interface PodOptions<Resource, Status extends EngineStatus> {
  readonly definition: KindDefinition<Resource>
  readonly object: ObjectRef
  readonly access: ClusterAccess
  readonly stateDir: string
  readonly context: EngineContext
  readonly clock: Clock
  readonly random: () => number
  readonly version: string
  /** `client` is for engines that keep objects of their own. */
  readonly createEngine: (client: KubeClient) => Engine<Resource, Status>
  /** What the pod may serve of its object, where that is not all of it. */
  readonly permitted?: ((resource: Resource) => Resource) | undefined
  /** The part of what the engine says of itself that belongs into the status of the object. */
  readonly toStatus: (status: Status) => object
  /** What the engine has to say in conditions of its own. */
  readonly judge?: ((status: Status, generation: number) => readonly Statement[]) | undefined
}

interface Pod<Resource> {
  readonly source: ResourceSource<Resource>
  readonly served: Served<Resource>
}

/**
 * An engine in its pod: it follows its own object and nothing else, serves it, and writes into its status what it
 * serves. The API server may go at any time: it is asked in the background only, and nothing here waits for it.
 */
export function createPod<Resource, Status extends EngineStatus>(options: PodOptions<Resource, Status>): Pod<Resource> {
  const { definition, object, access, clock, random, context } = options
  const log = context.log.child({ object: keyOf(object) })
  const transport = new Transport(access, { clock, random, userAgent: `oooi/${options.version}` })
  const client = new KubeClient(transport, fieldManager)
  const kind = defineKind<KubeObject>({
    apiVersion,
    kind: definition.kind,
    plural: definition.plural,
    namespaced: true,
  })
  const informer = new Informer({
    client,
    kind,
    namespace: object.namespace,
    // With the name in the selector the right to list and watch can be given for this one object.
    fieldSelector: `metadata.name=${object.name}`,
    clock,
    random,
    log,
  })
  const watch = new NeighbourWatch()
  const copy = new LastGoodCopy(join(options.stateDir, `${definition.kind.toLowerCase()}.json`), log)
  const source = new WatchSource<Resource>({
    informer,
    object,
    reduce: servedPart,
    parse: (value) => {
      const read = readObject(definition, value, (fields) =>
        log.warn({ fields }, 'fields of a newer version are left out; this program is older than its CRD'),
      )
      watch.follow(neighboursIn(value))
      return read.ok && options.permitted ? ok(options.permitted(read.value)) : read
    },
    copy,
    clock,
    log,
  })
  const conditions = new EngineConditions(clock)
  const served = new PodEngine<Resource, Status>({
    name: definition.kind,
    create: () => options.createEngine(client),
    writer: (read) =>
      new StatusWriter({
        client,
        kind,
        live: () => informer.objects.get(keyOf(object)),
        read: (live) => {
          const { status, refusals } = read()
          const told = refusals.filter(({ reason }) => !aboutTheWayHere.includes(reason))
          if (!status && told.length === 0) return undefined
          const { generation = 0 } = live.metadata
          const statements = [
            appliedStatement(generation, told),
            ...((status && options.judge?.(status, generation)) ?? []),
            ...troubleStatements(generation, ['AddressAnsweredByOther'], watch.problems),
          ]
          return { ...(status && options.toStatus(status)), conditions: conditions.of(live, statements) }
        },
        clock,
        random,
        log,
      }),
    afterStop: async () => {
      watch.stop()
      await informer.stop()
      await copy.settled()
      await transport.close()
    },
  })
  registerRuntimeMetrics(context.metrics, 'oooi', { transport, informers: [informer], controllers: [] })
  context.metrics.gauge(
    { name: 'oooi_object_followed', help: '1 while the API server shows the object and its changes.' },
    () => [{ value: informer.hasSynced && informer.lastError === undefined ? 1 : 0 }],
  )
  context.metrics.counter(
    { name: 'oooi_status_writes_total', help: 'Writes to the status of the object.', labels: ['result'] },
    () => served.statusWrites(),
  )
  return { source, served }
}
