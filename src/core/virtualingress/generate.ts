import type { VirtualIngress } from '../../api/virtualingress.ts'
import type { RenderedObject } from '../render/object.ts'
import type { Problem } from '../result.ts'
import { renderAlias } from './alias.ts'
import { ignoredByRoutes, outputProblems, renderRoutes } from './httproute.ts'
import { renderIngress } from './ingress.ts'
import {
  editInPlace,
  type GeneratedDefaults,
  generatedDefaults,
  generatedMetadata,
  generatedName,
  isEditedInPlace,
  ownLabels,
} from './metadata.ts'
import { type Publication, publish, stubName } from './publish.ts'
import {
  type LastKnown,
  type ResolvedBackend,
  resolveBackends,
  type SelectionDefaults,
  selectionDefaults,
  type World,
} from './resolve.ts'
import { renderStub, stubPorts } from './stub.ts'

export interface GenerateOptions {
  /** Where routes led before, by their keys. */
  readonly last: ReadonlyMap<string, LastKnown>
  /** Something was made of this VirtualIngress before, and is there. */
  readonly isPublished: boolean
  readonly selection?: SelectionDefaults
  readonly generated?: GeneratedDefaults
}

/** All that a VirtualIngress becomes in a world of Services. */
export interface Generation {
  readonly problems: readonly Problem[]
  /** What is done, but not quite as it was asked for. */
  readonly warnings: readonly Problem[]
  readonly backends: readonly ResolvedBackend[]
  readonly is: Publication['is']
  /** Where each route leads from now on, by their keys; not those that answer 503. */
  readonly leads: ReadonlyMap<string, LastKnown>
  /** What shall be there: the Ingress or HTTPRoutes, and what they need. */
  readonly wanted: readonly RenderedObject[]
  /** The Ingress or HTTPRoutes as they would be if nothing is wanted; the API server can say what it thinks of them. */
  readonly draft: readonly RenderedObject[]
}

export function generate(virtualIngress: VirtualIngress, world: World, options: GenerateOptions): Generation {
  const { selection = selectionDefaults, generated = generatedDefaults } = options
  const warnings = [...ignoredByRoutes(virtualIngress), ...editWarning(virtualIngress)]
  const contradictions = outputProblems(virtualIngress)
  const resolved = resolveBackends(virtualIngress, world, options.last, selection)
  const problems = [...contradictions, ...(resolved.ok ? [] : resolved.problems)]
  const backends = resolved.ok ? resolved.value : []
  if (problems.length > 0) return { problems, warnings, backends, is: 'held', leads: new Map(), wanted: [], draft: [] }

  const { name, namespace = '' } = virtualIngress.metadata
  const publication = publish(backends, {
    name,
    noMatch: virtualIngress.spec.selection?.noMatch ?? selection.noMatch,
    isPublished: options.isPublished,
    needsNumbers: virtualIngress.spec.output === 'HTTPRoute',
  })
  const draft = render(virtualIngress, publication, generated)
  const { is } = publication
  if (is !== 'published') return { problems, warnings, backends, is, leads: new Map(), wanted: [], draft }
  const stub = { name: stubName(name), namespace, labels: ownLabels(name) }
  const helpers = [
    ...(publication.stubPorts.length > 0 ? [renderStub(stub, publication.stubPorts)] : []),
    ...aliasesOf(backends, world, stub),
  ]
  return {
    problems,
    warnings,
    backends,
    is,
    leads: leadsOf(backends, publication, stub.name),
    wanted: [...helpers, ...draft],
    draft: [],
  }
}

function render(
  virtualIngress: VirtualIngress,
  { targets }: Publication,
  generated: GeneratedDefaults,
): RenderedObject[] {
  const name = generatedName(virtualIngress, generated)
  const metadata = generatedMetadata(virtualIngress, name, generated)
  return virtualIngress.spec.output === 'HTTPRoute'
    ? renderRoutes(virtualIngress, metadata, targets)
    : [renderIngress(virtualIngress, metadata, targets)]
}

function leadsOf(backends: readonly ResolvedBackend[], { targets }: Publication, stub: string): Map<string, LastKnown> {
  return new Map(
    backends.flatMap(({ ref: { key, field }, service, kept }): [string, LastKnown][] => {
      const target = targets.get(field)
      const name = service?.name ?? kept?.name
      return target && target.name !== stub && name !== undefined ? [[key, { name, port: target.number }]] : []
    }),
  )
}

/** One for each alias that is led to, also while what it stands for is gone: it has no endpoints then. */
function aliasesOf(
  backends: readonly ResolvedBackend[],
  { slicesOf }: World,
  { namespace, labels }: RenderedObject['metadata'],
): RenderedObject[] {
  const names = new Set(backends.flatMap(({ alias, service, kept }) => (service || kept ? (alias ?? []) : [])))
  return [...names].flatMap((name) => {
    const users = backends.filter(({ alias }) => alias === name)
    const service = users.find((user) => user.service)?.service
    const ports = stubPorts(users.map(({ ref }) => ref.service.port))
    return renderAlias({ name, namespace, labels }, service, service ? (slicesOf?.(service) ?? []) : [], ports)
  })
}

function editWarning(virtualIngress: VirtualIngress): Problem[] {
  if (!isEditedInPlace(virtualIngress)) return []
  const message = `${editInPlace} is left out: cert-manager would write into rules that oooi keeps; without it, it makes an Ingress of its own for that`
  return [{ reason: 'FieldIgnored', message }]
}
