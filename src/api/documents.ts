import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  type ScalarTag,
  visit,
  type YAMLMap,
  type YAMLParseError,
} from 'yaml'
import type { Problem } from '../core/result.ts'
import type { FieldPath } from './fieldpath.ts'
import { jsonMistake } from './json-mistake.ts'

/** One document of a file: its value, and where in the file each part of it stands. */
export interface SourceDocument {
  readonly value: unknown
  /** The line of a field; of the nearest part around it when the field itself is missing. */
  readonly lineOf: (path: FieldPath) => number
}

/** An object of this size is near what an API server takes at all; anything larger is no manifest. */
const maxTextLength = 1024 * 1024

/** kubectl takes these words as true and false; one file must not mean two things to two programs. */
const yesAndNo: ScalarTag = {
  tag: 'tag:yaml.org,2002:bool',
  default: true,
  test: /^(?:[Yy]|[Yy]es|YES|[Oo]n|ON|[Nn]|[Nn]o|NO|[Oo]ff|OFF)$/,
  resolve: (word) => /^(?:y|on)/i.test(word),
}

/** Reads YAML or JSON, several documents or one. Never throws, whatever the text is. */
export function readDocuments(text: string, file: string): { documents: SourceDocument[]; problems: Problem[] } {
  const documents: SourceDocument[] = []
  const problems: Problem[] = []
  const lines = new LineCounter()
  const lineAt = (offset: number) => Math.max(lines.linePos(offset).line, 1)
  const report = (message: string, offset: number) =>
    problems.push({ reason: 'InvalidYaml', message, at: { file, line: lineAt(offset) } })
  if (text.length > maxTextLength) {
    report(`the file has more than ${maxTextLength} characters: it cannot be a manifest`, 0)
    return { documents, problems }
  }
  const parsed = parseYaml(text, lines)
  const json = parsed.some(({ errors }) => errors.length > 0) ? jsonMistake(text) : undefined
  if (json) {
    const { message, line } = json
    return { documents, problems: [{ reason: 'InvalidYaml', message, at: { file, line } }] }
  }
  for (const document of parsed) {
    const mistakes = mistakesOf(document)
    for (const { message, offset } of mistakes) report(message, offset)
    const value = mistakes.length === 0 ? plainValue(document) : null
    // Nothing between two separators, or comments only.
    if (value === null) continue
    documents.push({ value, lineOf: (path) => lineAt(offsetOf(document, path)) })
  }
  return { documents, problems }
}

function parseYaml(text: string, lineCounter: LineCounter): Document[] {
  const documents = parseAllDocuments(text, {
    lineCounter,
    // Left to us: the library compares each key with each other one, which takes minutes on a hostile file.
    uniqueKeys: false,
    merge: true,
    customTags: [yesAndNo],
    prettyErrors: false,
    logLevel: 'silent',
  })
  return 'empty' in documents ? [] : documents
}

interface Mistake {
  readonly message: string
  readonly offset: number
}

/** Enough to mend a file by; a file with more of them is broken as a whole. */
const maxMistakes = 10

function mistakesOf(document: Document): Mistake[] {
  // Where the reader has lost its way, what it finds further on is no mistake of the one who wrote it.
  const syntax = document.errors.find(({ code }) => code === 'TAB_AS_INDENT') ?? document.errors[0]
  if (syntax) return [{ message: inPlainWords(syntax), offset: syntax.pos[0] }]
  const found: Mistake[] = []
  visit(document, {
    Map: (_, map) => collect(found, duplicateKeys(map)),
    Alias: (_, alias) =>
      collect(
        found,
        alias.resolve(document)
          ? []
          : [{ message: `*${alias.source} refers to no anchor above it`, offset: alias.range?.[0] ?? 0 }],
      ),
  })
  if (found.length === 0 && plainValue(document) === undefined) {
    found.push({ message: 'its aliases unfold to far more than was written', offset: 0 })
  }
  return found
}

/** The library speaks of its own insides; who wrote the file wants to know what to change. */
function inPlainWords({ code, message }: YAMLParseError): string {
  const [, closing] = /must (?:be sufficiently indented and )?end with an? ([\]}])/.exec(message) ?? []
  if (closing) return `a ${closing} is missing: the file ends too early, or something that was opened is not closed`
  if (/call stack|stack overflow/i.test(message)) return 'it is nested too deeply to be a manifest'
  if (code === 'TAB_AS_INDENT') return 'a tab at the beginning of the line: YAML is indented with spaces alone'
  if (code === 'BAD_INDENT') return `the indentation does not fit the lines above (${message})`
  return message
}

function collect(found: Mistake[], more: readonly Mistake[]): symbol | undefined {
  found.push(...more.slice(0, maxMistakes - found.length))
  return found.length < maxMistakes ? undefined : visit.BREAK
}

function duplicateKeys(map: YAMLMap): Mistake[] {
  const seen = new Set<string>()
  return map.items.flatMap(({ key }) => {
    // A key that is a list or a map itself has no name to compare; no field is called so.
    if (!isScalar(key)) return []
    const name = String(key.value)
    if (name === '<<' || !seen.has(name)) {
      seen.add(name)
      return []
    }
    return [{ message: `${name} is there twice: remove one of them`, offset: startOf(key) ?? 0 }]
  })
}

/** Undefined when the library gives up because aliases of aliases would fill the memory. */
function plainValue(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch {
    return undefined
  }
}

function offsetOf(document: Document, path: FieldPath): number {
  let node: unknown = document.contents
  let offset = startOf(node) ?? 0
  for (const key of path) {
    if (isAlias(node)) node = node.resolve(document)
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key))
      offset = startOf(pair?.key) ?? offset
      node = pair?.value
    } else if (isSeq(node)) {
      node = node.items[Number(key)]
      offset = startOf(node) ?? offset
    } else return offset
  }
  return offset
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? (node satisfies Node).range?.[0] : undefined
}
