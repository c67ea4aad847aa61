import { apiGroup } from '../../api/meta.ts'
import type { Informer } from '../../runtime/cache/informer.ts'
import type { Controller } from '../../runtime/controller/controller.ts'
import { EventRecorder } from '../../runtime/events/recorder.ts'
import type { KubeClient } from '../../runtime/kube/client.ts'
import type { KubeObject } from '../../runtime/kube/object.ts'
import type { Logger } from '../../runtime/observe/log.ts'
import { Metrics } from '../../runtime/observe/metrics.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { Rendezvous } from '../../runtime/time/rendezvous.ts'
import { HostedClients } from '../appsingress/clients.ts'
import { appsIngressController } from '../appsingress/controller.ts'
import { attachmentSubjects, infraSubjects } from '../appsingress/subject.ts'
import { attachmentController } from '../attachment/controller.ts'
import { dhcpServerController } from '../dhcpserver/controller.ts'
import { dnsServerController } from '../dnsserver/controller.ts'
import { hostedClusterController } from '../hostedcluster/controller.ts'
import { infraController } from '../infra/controller.ts'
import { proxyServerController } from '../proxyserver/controller.ts'
import { traceController } from '../trace/controller.ts'
import { annotatedIngressController } from '../virtualingress/annotated.ts'
import { virtualIngressController } from '../virtualingress/controller.ts'
import { createCaches } from './caches.ts'
import { type ControllerName, controllerNames, neededCaches } from './names.ts'
import type { Operator, OperatorSettings } from './operator.ts'

export interface OperatorOptions {
  /** Not fenced; for reading. */
  readonly reader: KubeClient
  /** Field manager `oooi`, behind the fence of the election. */
  readonly writer: KubeClient
  /** Who reports events; different for every process. */
  readonly identity: string
  readonly settings: OperatorSettings
  /** Which controllers run; others' kinds need not be there. */
  readonly controllers?: readonly ControllerName[]
  readonly metrics?: Metrics
  readonly clock: Clock
  readonly random: () => number
  readonly log: Logger
  readonly dial?: Operator['dial']
}

export const fieldManager = 'oooi'

/** The components of an Infra get their Roles within this time of each other. */
const rightsTogetherMs = 25

type AnyInformer = Pick<
  Informer<KubeObject>,
  'kind' | 'start' | 'stop' | 'synced' | 'hasSynced' | 'lastError' | 'installed' | 'stats'
>

/** The parts of the operator, ready to be run. */
export function createOperator(options: OperatorOptions): {
  readonly informers: readonly AnyInformer[]
  readonly controllers: readonly Controller[]
  readonly events: EventRecorder
  /** Ends what goes on in hosted clusters; after the controllers have ended. */
  readonly close: () => Promise<void>
} {
  const { reader, writer, identity, settings, clock, random, log, dial } = options
  const { controllers: names = controllerNames, metrics = new Metrics() } = options
  const { namespaces } = settings.virtualIngress
  const caches = createCaches({ client: reader, clock, random, log, namespaces })
  const events = new EventRecorder({ client: writer, clock, log, controller: `${apiGroup}/oooi`, instance: identity })
  const rights = new Rendezvous(clock, rightsTogetherMs)
  const parts = { caches, writer, events, clock, random, log, settings, metrics, dial, rights }
  const hosted = new HostedClients(parts)
  const operator = { ...parts, hosted }
  return {
    informers: neededCaches(caches, names, settings.virtualIngress),
    controllers: names.flatMap((name) => controllersOf[name].flatMap((create) => create(operator) ?? [])),
    events,
    close: () => hosted.stop(),
  }
}

const controllersOf: Readonly<Record<ControllerName, readonly ((operator: Operator) => Controller | undefined)[]>> = {
  infra: [
    infraController,
    attachmentController,
    hostedClusterController,
    dhcpServerController,
    dnsServerController,
    proxyServerController,
    traceController,
    (operator) => appsIngressController(operator, infraSubjects(operator)),
    (operator) => appsIngressController(operator, attachmentSubjects(operator)),
  ],
  virtualingress: [virtualIngressController, annotatedIngressController],
}
