import { failed, ok, type Problem, type Result } from '../core/result.ts'
import { checkResource } from './check.ts'
import type { DHCPServer } from './dhcpserver.ts'
import type { DNSServer } from './dnsserver.ts'
import { readDocuments } from './documents.ts'
import { type FieldPath, formatPath, parsePath } from './fieldpath.ts'
import { withoutForeignImages } from './images.ts'
import type { Infra } from './infra.ts'
import { isKindName, type KindDefinition, type KindName, kinds, type Resource } from './kinds.ts'
import { apiGroup, apiVersion } from './meta.ts'
import { findNotYet } from './notyet.ts'
import type { ProxyServer } from './proxyserver.ts'
import type { Mode } from './rules/rule.ts'
import { isMapping } from './shape.ts'
import { suggest } from './suggestion.ts'

/** Something in a file that is not taken as it is written, but is no reason to refuse it. */
export interface Warning {
  readonly message: string
  readonly field?: string
  readonly at: { readonly file: string; readonly line: number }
}

export interface Manifest {
  readonly objects: readonly Resource[]
  readonly warnings: readonly Warning[]
  /** Gives problems of one of the objects that are found later their place in the file. */
  readonly locate: (object: Resource, problems: readonly Problem[]) => Problem[]
}

/** A file with thousands of mistakes has one: it is the wrong file. */
const maxProblems = 100

/** Reads the objects of the wanted kinds out of a file, or says all that is wrong with it. */
export function parseManifest(
  text: string,
  file: string,
  wantedKinds: readonly KindName[] = Object.keys(kinds).filter(isKindName),
  mode: Mode = 'file',
): Result<Manifest> {
  const { documents, problems } = readDocuments(text, file)
  const places = new Map<Resource, (path: FieldPath) => Required<Pick<Warning, 'field' | 'at'>>>()
  const warnings: Warning[] = []
  const otherKinds: string[] = []
  for (const document of documents) {
    for (const item of itemsOf(document.value)) {
      const place = (path: FieldPath) => {
        const whole = [...item.path, ...path]
        return { field: formatPath(whole), at: { file, line: document.lineOf(whole) } }
      }
      const kind = kindOf(item.value)
      if ('message' in kind) problems.push({ reason: 'WrongKind', message: kind.message, ...place(kind.path) })
      else if (!isKindName(kind.name) || !wantedKinds.includes(kind.name)) {
        otherKinds.push(kind.name)
        warnings.push({ message: `an object of kind ${kind.name} is left out`, at: place([]).at })
      } else {
        const read = readObject(kind.name, item.value, mode)
        warnings.push(...read.warnings.map(({ path, message }) => ({ message, ...place(path) })))
        problems.push(...read.mistakes.map(({ reason, path, message }) => ({ reason, message, ...place(path) })))
        if (read.object) places.set(read.object, place)
      }
    }
  }
  if (places.size === 0 && problems.length === 0) problems.push(nothingWanted(file, wantedKinds, otherKinds))
  if (problems.length > 0) return failed(...inFileOrder(problems).slice(0, maxProblems))
  return ok({
    objects: [...places.keys()],
    warnings,
    locate: (object, found) =>
      found.map((problem) => {
        const at = places.get(object)?.(parsePath(problem.field ?? '')).at
        return at ? { ...problem, at } : problem
      }),
  })
}

function inFileOrder(problems: readonly Problem[]): Problem[] {
  return problems.toSorted((a, b) => (a.at?.line ?? 0) - (b.at?.line ?? 0))
}

export function parseInfraFile(text: string, file: string): Result<Infra> {
  return parseSingle('Infra', text, file)
}

export function parseDhcpServerFile(text: string, file: string): Result<DHCPServer> {
  return parseSingle('DHCPServer', text, file)
}

export function parseDnsServerFile(text: string, file: string): Result<DNSServer> {
  return parseSingle('DNSServer', text, file)
}

export function parseProxyServerFile(text: string, file: string): Result<ProxyServer> {
  return parseSingle('ProxyServer', text, file)
}

/** For commands that serve one object. */
function parseSingle<Name extends KindName>(
  name: Name,
  text: string,
  file: string,
): Result<Extract<Resource, { kind: Name }>> {
  const manifest = parseManifest(text, file, [name])
  return manifest.ok ? onlyObject(name, manifest.value, file) : manifest
}

/** The one object of the kind in the file; two of them leave open which is meant. */
export function onlyObject<Name extends KindName>(
  name: Name,
  { objects }: Manifest,
  file: string,
): Result<Extract<Resource, { kind: Name }>> {
  const found = objects.filter((object): object is Extract<Resource, { kind: Name }> => object.kind === name)
  const [first, second] = found
  if (first === undefined || second !== undefined) {
    const names = found.map(({ metadata }) => metadata.name).join(', ')
    return failed({
      reason: 'WrongKind',
      message: `the file holds ${found.length} objects of kind ${name} (${names}): give one`,
      at: { file, line: 1 },
    })
  }
  return ok(first)
}

interface Item {
  readonly path: FieldPath
  readonly value: unknown
}

/** The objects in a document: itself, or the entries of a List as kubectl prints it. */
function itemsOf(value: unknown): Item[] {
  if (!isMapping(value) || value.kind !== 'List' || !Array.isArray(value.items)) return [{ path: [], value }]
  return value.items.map((item, index) => ({ path: ['items', index], value: item }))
}

type KindFound = { readonly name: string } | { readonly path: FieldPath; readonly message: string }

/** Objects of other groups may stand in the same file; one of ours that is misspelt may not pass for such. */
function kindOf(value: unknown): KindFound {
  if (!isMapping(value)) return { path: [], message: 'expected an object with apiVersion, kind, metadata and spec' }
  const { kind, apiVersion: version } = value
  if (typeof kind !== 'string')
    return { path: ['kind'], message: `missing, expected one of ${Object.keys(kinds).join(', ')}` }
  const isOurGroup = typeof version === 'string' && version.startsWith(`${apiGroup}/`)
  if (isKindName(kind) && version !== apiVersion) {
    return { path: ['apiVersion'], message: `found ${JSON.stringify(version) ?? 'nothing'}, expected ${apiVersion}` }
  }
  if (isOurGroup && !isKindName(kind)) {
    const meant = suggest(kind, Object.keys(kinds))
    const advice = meant === undefined ? `expected one of ${Object.keys(kinds).join(', ')}` : `did you mean ${meant}?`
    return { path: ['kind'], message: `${apiGroup} has no kind ${JSON.stringify(kind)}: ${advice}` }
  }
  return { name: kind }
}

interface ReadObject {
  readonly object?: Resource
  readonly mistakes: readonly (Pick<Problem, 'reason' | 'message'> & { readonly path: FieldPath })[]
  readonly warnings: readonly { readonly path: FieldPath; readonly message: string }[]
}

function readObject(name: KindName, written: unknown, mode: Mode): ReadObject {
  const { manifest, warnings } = withoutForeignImages(name, written)
  const kind: KindDefinition<Resource> = kinds[name]
  const checked = checkResource(kind, manifest, mode)
  const missing = findNotYet(name, manifest).map((found) => ({ ...found, reason: 'NotYetSupported' as const }))
  const mistakes = [...(checked.ok ? [] : checked.mistakes), ...missing]
  return { mistakes, warnings, ...(checked.ok && mistakes.length === 0 ? { object: checked.object } : {}) }
}

function nothingWanted(file: string, wanted: readonly KindName[], found: readonly string[]): Problem {
  const holds = found.length === 0 ? 'no object' : `only ${[...new Set(found)].slice(0, 10).join(', ')}`
  return {
    reason: 'WrongKind',
    message: `the file holds ${holds}, expected ${wanted.join(' or ')} of ${apiVersion}`,
    at: { file, line: 1 },
  }
}
