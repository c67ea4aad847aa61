import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { unknownIn } from './invocation.ts'
import { type References, referencesIn } from './markdown.ts'

/** What the documents say of links, files, targets of make and commands is so. */

const root = join(import.meta.dirname, '..', '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const found = (pattern: string, folder = '') => globSync(pattern, { cwd: join(root, folder) }).length > 0

const folders = '{src,test,tools,docs,config,charts}'
const documents = new Map<string, References>(
  globSync(['*.md', `${folders}/**/*.md`], { cwd: root }).map((path) => [path, referencesIn(read(path))]),
)

/** `document: what it says` of everything said that is not so. */
function faults(find: (said: References, document: string) => readonly string[]): string[] {
  return [...documents].flatMap(([path, said]) => find(said, path).map((fault) => `${path}: ${fault}`))
}

test('there are documents', () => {
  expect(documents.size).toBeGreaterThan(50)
})

test('links lead to files and headings that are there', () => {
  const leadsThere = (document: string, link: string): boolean => {
    const [file = '', anchor] = link.split('#')
    const path = file === '' ? document : join(dirname(document), file)
    return existsSync(join(root, path)) && (anchor === undefined || documents.get(path)?.anchors.has(anchor) === true)
  }
  const isElsewhere = (link: string) => /^[a-z]+:/.test(link)
  const broken = faults(({ links }, at) => links.filter((link) => !isElsewhere(link) && !leadsThere(at, link)))
  expect(broken).toEqual([])
})

test('every document can be found from the README', () => {
  const reached = new Set<string>()
  const follow = (document: string): void => {
    if (reached.has(document)) return
    reached.add(document)
    const targets = documents.get(document)?.links.map((link) => join(dirname(document), link.replace(/#.*/, '')))
    for (const target of targets ?? []) if (documents.has(target)) follow(target)
  }
  follow('README.md')
  expect([...documents.keys()].filter((path) => !reached.has(path))).toEqual([])
})

test('files and folders that are named are there', () => {
  const isThere = (span: string, document: string): boolean => {
    const pattern = span.replace(/<[^>]+>/g, '*').replace(/\/$/, '')
    if (/^(src|test|tools|docs|config|charts|bin)\/\S*$/.test(span)) return found(pattern)
    const isOfReadme = /^(src|test|tools)\/.*README\.md$/.test(document) && /^[\w/-]+(\/|\.ts)$/.test(span)
    return !isOfReadme || found(`**/${pattern}`, dirname(document)) || found(`**/${pattern}`, 'src')
  }
  expect(faults(({ spans }, document) => spans.filter((span) => !isThere(span, document)))).toEqual([])
})

test('every room is on the map', () => {
  const { spans = [] } = documents.get('ARCHITECTURE.md') ?? {}
  const onTheMap = new Set(spans.flatMap((span) => globSync(span, { cwd: root })))
  const rooms = globSync(['src/*/', 'src/{core,controllers,engines}/*/', 'test/*/'], { cwd: root })
  const isOnTheMap = (room: string) => [...onTheMap].some((named) => named === room || named.startsWith(`${room}/`))
  expect(rooms.length).toBeGreaterThan(20)
  expect(rooms.filter((room) => !isOnTheMap(room))).toEqual([])
})

test('targets of make that are named are there', () => {
  const targets = new Set([...read('Makefile').matchAll(/^([a-z0-9-]+):/gm)].map(([, name = '']) => name))
  const unknown = (line: string): string[] =>
    [...line.replace(/#.*/, '').matchAll(/(?:^|\$ |&& )make ((?:[a-z0-9-]+ ?)+)/g)]
      .flatMap(([, names = '']) => names.trim().split(' '))
      .filter((name) => !targets.has(name))
  expect(faults(({ spans, commands }) => [...spans, ...commands].flatMap(unknown))).toEqual([])
})

test('commands and options of oooi that are shown are there', { timeout: 60_000 }, async () => {
  const wrong: string[] = []
  for (const [document, { spans, commands }] of documents)
    for (const line of [...spans, ...commands])
      wrong.push(...(await unknownIn(line)).map((fault) => `${document}: ${fault}`))
  expect(wrong).toEqual([])
})
