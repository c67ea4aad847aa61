import type { Problem } from '../../core/result.ts'
import { Controller } from '../../runtime/controller/controller.ts'
import type { Reconcile } from '../../runtime/controller/reconcile.ts'
import { type Attempt, attempt, outcomeOf, problemsOf, untried } from './attempt.ts'
import { clustersOf } from './clusters.ts'
import type { Belonging, Component, ComponentKind } from './component-kind.ts'
import { existingOf, wantedOf } from './component-objects.ts'
import { componentStatus } from './component-status.ts'
import { watchComponents } from './component-watches.ts'
import { infraOf } from './holder.ts'
import type { OwnObject } from './kinds.ts'
import { OwnedObjects } from './objects.ts'
import type { Operator } from './operator.ts'
import { forgetRead, readInfra, understand } from './read.ts'
import { StatusReport } from './status.ts'

/** One component: the objects of its pod as they should be, and a status of what was observed of it. */
export function componentController<Resource extends Component>(
  operator: Operator,
  part: ComponentKind<Resource>,
): Controller {
  const { clock, log } = operator
  const { informer, kind, role } = part
  const owned = new OwnedObjects(operator.writer)
  const report = new StatusReport(operator, kind)

  const reconcile: Reconcile = async (key, { signal }) => {
    const live = informer.objects.get(key)
    if (!live || live.metadata.deletionTimestamp) return undefined
    const asked = lookAt(live)
    const made = asked.isUsable ? await makeObjects(live, asked, signal) : untried
    // Also after a failure: what is not permitted any more is told to the pod here.
    await tell(live, asked, made, signal)
    return outcomeOf(made)
  }

  /** What the component asks for, whose it is, and what speaks against it. */
  function lookAt(live: OwnObject): Asked<Resource> {
    const { resource, problems: mistakes, warnings } = understand(part.name, part.definition, live)
    const belonging = belongingOf(operator, live)
    const inFields = [...mistakes, ...(resource ? placeless(resource) : [])]
    // What it may not do keeps it from leading there, not from having a pod.
    const denials = resource ? (part.judge?.(resource, belonging) ?? []) : []
    return { resource, belonging, problems: [...inFields, ...denials], warnings, isUsable: inFields.length === 0 }
  }

  async function makeObjects(live: OwnObject, { resource, belonging }: Asked<Resource>, signal: AbortSignal) {
    if (!resource) return untried
    const wanted = wantedOf(operator, part, resource, belonging)
    return attempt(() => owned.make(live, wanted, existingOf(operator, live, wanted), signal))
  }

  async function tell(live: OwnObject, asked: Asked<Resource>, made: Attempt, signal: AbortSignal): Promise<void> {
    const problems = [...asked.problems, ...problemsOf(made)]
    const { statements, fields } = componentStatus(operator, part, {
      ...asked,
      live,
      problems,
      objects: made.performed.objects,
    })
    await report.write(live, statements, fields, signal)
    part.tell?.(live)
  }

  const controller = new Controller({ name: role.plural, reconcile, clock, log, workers: 12 })
  watchComponents(operator, controller, part)
  informer.onChange(({ type, object }) => {
    if (type !== 'deleted') return
    owned.forget(object)
    report.forget(object)
    forgetRead(object)
  })
  return controller
}

interface Asked<Resource> {
  /** Undefined if it cannot be read. */
  readonly resource: Resource | undefined
  readonly belonging: Belonging
  readonly problems: readonly Problem[]
  readonly warnings: readonly string[]
  /** Whether a pod can be made of it. */
  readonly isUsable: boolean
}

/** In a cluster a component has its address by an attachment only. */
function placeless(resource: Component): Problem[] {
  if (resource.spec.networkConfig.networkAttachmentName !== undefined) return []
  const message = 'is needed in a cluster: the NetworkAttachmentDefinition that puts the pod onto the VLAN'
  return [{ reason: 'InvalidField', field: 'spec.networkConfig.networkAttachmentName', message }]
}

function belongingOf(operator: Operator, object: OwnObject): Belonging {
  const infra = infraOf(operator.caches, object)
  if (!infra) return { infra: undefined, bindings: [], awaited: [] }
  const { bindings, bound } = clustersOf(operator, infra)
  const awaited = bound.filter(({ awaitsControlPlane }) => awaitsControlPlane)
  return {
    infra: readInfra(infra).resource,
    bindings,
    awaited: awaited.map(({ claim }) => claim.controlPlaneNamespace),
  }
}
