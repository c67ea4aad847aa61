import { isMapping } from '../../api/shape.ts'
import type { ServiceSelector } from '../../api/virtualingressbackend.ts'
import type { RenderedObject } from '../render/object.ts'
import { renderAlias } from './alias.ts'
import { portsAskedOf } from './annotation.ts'
import { type Choice, choose, portOf } from './choose.ts'
import type { IngressView } from './ingress.ts'
import { ownLabels } from './metadata.ts'
import { isElsewhere, type SelectionDefaults, type World } from './resolve.ts'
import { stubPorts } from './stub.ts'

/** A plain Ingress whose annotation says what its backends mean. */
interface AnnotatedIngress extends IngressView {
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

/** What came of one backend, as the annotation on the Ingress tells it. */
interface Told {
  readonly state: string
  readonly service?: string
  readonly candidates?: readonly string[]
}

export interface Alias {
  readonly name: string
  readonly told: Told
  readonly objects: readonly RenderedObject[]
}

/** The alias that this Ingress calls `name`, for the Service that is wanted; `current` is the one it led to so far. */
export function aliasFor(
  ingress: AnnotatedIngress,
  name: string,
  wanted: ServiceSelector,
  world: World,
  { selection, current }: { readonly selection: SelectionDefaults; readonly current: string | undefined },
): Alias {
  const choice = chooseFor(ingress, name, wanted, world, selection, current)
  const { state, service, candidates } = choice
  const { metadata } = ingress
  const asked = portsAskedOf(ingress, name)
  const ports = stubPorts(asked.length > 0 ? asked : [{ number: 80 }])
  const slices = service ? (world.slicesOf?.(service) ?? []) : []
  const labels = ownLabels(metadata.name)
  return {
    name,
    told: {
      state,
      ...(service ? { service: service.name } : {}),
      ...(candidates.length > 0 ? { candidates: candidates.slice(0, 16) } : {}),
    },
    objects: renderAlias({ name, namespace: metadata.namespace ?? '', labels }, service, slices, ports),
  }
}

function chooseFor(
  ingress: AnnotatedIngress,
  name: string,
  wanted: ServiceSelector,
  world: World,
  { multipleMatches, requireReadyEndpoints }: SelectionDefaults,
  current: string | undefined,
): Choice {
  const from = ingress.metadata.namespace ?? ''
  const isAway = isElsewhere(wanted.namespace, from)
  const found = world.services
    .matching(wanted.namespace ?? from, wanted)
    .filter((service) => (isAway ? world.permits?.(service, from) === true : service.name !== name))
  if (isAway && found.length === 0) return { state: 'NotPermitted', candidates: [] }
  const choice = choose(found, {
    multipleMatches: wanted.multipleMatches ?? multipleMatches,
    port: undefined,
    requireReadyEndpoints,
    current,
    isReady: world.isReady,
  })
  const { service } = choice
  const lacks = service && portsAskedOf(ingress, name).some((port) => !portOf(service, port))
  return lacks && choice.state === 'Resolved' ? { ...choice, state: 'PortNotFound' } : choice
}

/** The Services that our own annotation tells, by alias; somebody may have written anything into it. */
export function servicesTold(annotation: string): ReadonlyMap<string, string> {
  try {
    const value: unknown = JSON.parse(annotation)
    const entries = Object.entries(isMapping(value) ? value : {})
    return new Map(
      entries.flatMap(([name, what]) =>
        isMapping(what) && typeof what.service === 'string' ? [[name, what.service] as const] : [],
      ),
    )
  } catch {
    return new Map()
  }
}
