import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { failed, ok, type Result } from '../../core/result.ts'
import type { Change } from '../cache/informer.ts'
import type { KubeObject } from '../kube/object.ts'
import { createLogger } from '../observe/log.ts'
import { FakeClock } from '../time/fake-clock.ts'
import { LastGoodCopy } from './last-good-copy.ts'
import type { SourceEvent } from './source.ts'
import { WatchSource, type WatchSourceOptions } from './watch.ts'

const log = createLogger('silent', { write: () => undefined })
const object = { namespace: 'clusters', name: 'example' }

let directory: string
let path: string
const sources: WatchSource<string>[] = []
const copies: LastGoodCopy[] = []

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'oooi-watch-'))
  path = join(directory, 'state', 'thing.json')
})
afterEach(async () => {
  for (const source of sources.splice(0)) source.stop()
  for (const copy of copies.splice(0)) await copy.settled()
  await rm(directory, { recursive: true })
})

/** An informer by hand: tells what the test says. */
class ToldInformer {
  readonly kind = 'Thing'
  readonly #synced = Promise.withResolvers<void>()
  #handler: (change: Change<KubeObject>) => void = () => undefined
  hasSynced = false
  lastError: Error | undefined

  get synced(): Promise<void> {
    return this.#synced.promise
  }

  onChange(handler: (change: Change<KubeObject>) => void): () => void {
    this.#handler = handler
    return () => undefined
  }

  start(): void {}
  async stop(): Promise<void> {}

  sync(): void {
    this.hasSynced = true
    this.#synced.resolve()
  }

  tell(type: 'added' | 'deleted', content: string, status = ''): void {
    const metadata = { ...object, resourceVersion: '1' }
    const told = { apiVersion: 'v1', kind: 'Thing', metadata, content, status }
    this.#handler({ type, object: told })
  }
}

function contentOf(value: unknown): string {
  return typeof value === 'object' && value !== null && 'content' in value ? String(value.content) : ''
}

function parse(value: unknown): Result<string> {
  const content = contentOf(value)
  return content.startsWith('bad') ? failed({ reason: 'InvalidField', message: content }) : ok(content)
}

function follow(options: Partial<WatchSourceOptions<string>> = {}) {
  const informer = new ToldInformer()
  const clock = new FakeClock()
  const copy = new LastGoodCopy(path, log)
  const reduce = (received: KubeObject) => ({ metadata: object, content: contentOf(received) })
  const source = new WatchSource({ informer, object, reduce, parse, copy, clock, log, ...options })
  sources.push(source)
  copies.push(copy)
  const events = source.events()[Symbol.asyncIterator]()
  const next = async (): Promise<SourceEvent<string> | undefined> => (await events.next()).value
  return { informer, clock, copy, source, next }
}

test('tells each version, and not what changed nothing of what is served', async () => {
  const { informer, next } = follow()
  informer.tell('added', 'one')
  informer.sync()
  expect(await next()).toEqual({ type: 'object', object: 'one' })
  informer.tell('added', 'one', 'a status of our own')
  informer.tell('added', 'two')
  expect(await next()).toEqual({ type: 'object', object: 'two' })
})

test('a version that cannot be read is a problem, and does not take the good one before it away', async () => {
  const { informer, next } = follow()
  informer.tell('added', 'one')
  informer.tell('added', 'bad')
  expect(await next()).toEqual({ type: 'object', object: 'one' })
  expect(await next()).toMatchObject({ type: 'problems', problems: [{ message: 'bad' }] })
  informer.tell('added', 'one')
  expect(await next(), 'the mending is told although the version is known').toEqual({ type: 'object', object: 'one' })
})

test('a deleted object is told; a new one of its name is served', async () => {
  const { informer, next } = follow()
  informer.tell('added', 'one')
  await next()
  informer.tell('deleted', 'one')
  expect(await next()).toMatchObject({ problems: [{ reason: 'ObjectMissing', message: /was deleted/ }] })
  informer.tell('added', 'one')
  expect(await next()).toEqual({ type: 'object', object: 'one' })
})

test('an object that is not there is one sentence', async () => {
  const { informer, next } = follow()
  informer.sync()
  expect(await next()).toMatchObject({
    problems: [{ reason: 'ObjectMissing', message: 'there is no Thing clusters/example: create it, and it is served' }],
  })
})

test('the last good version is kept on disk, a bad one is not', async () => {
  const { informer, copy, next } = follow()
  informer.tell('added', 'one')
  informer.tell('added', 'bad')
  await next()
  await copy.settled()
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ metadata: object, content: 'one' })
})

test('without an API server it starts with the copy after a moment, and goes on with the newest', async () => {
  const first = follow()
  first.informer.tell('added', 'one')
  await first.copy.settled()
  const { informer, clock, next } = follow()
  informer.lastError = new Error('connection refused')
  const begun = next()
  await clock.advance(1000)
  expect(await begun).toEqual({ type: 'object', object: 'one' })
  expect(await next()).toMatchObject({
    problems: [{ reason: 'ApiUnreachable', message: /the copy on disk is served.*connection refused/ }],
  })
  informer.tell('added', 'one')
  expect(await next(), 'the end of the outage is told').toEqual({ type: 'object', object: 'one' })
  informer.sync()
})

test.each([
  ['of another object', JSON.stringify({ metadata: { ...object, name: 'other' }, content: 'one' })],
  ['torn', '{"metadata":'],
  ['of no use', JSON.stringify({ metadata: object, content: 'bad' })],
  ['no object', '7'],
])('a copy that is %s is not served', async (_, text) => {
  const { copy } = follow()
  copy.keep('{}')
  await copy.settled()
  await writeFile(path, text)
  const { clock, next } = follow()
  const begun = next()
  await clock.advance(1000)
  expect(await begun).toMatchObject({ problems: [{ reason: 'ApiUnreachable', message: /nothing is served/ }] })
})

test('a disk that cannot be written costs the copy only', async () => {
  const { informer, next, copy } = follow({ copy: new LastGoodCopy('/proc/nowhere/thing.json', log) })
  informer.tell('added', 'one')
  expect(await next()).toEqual({ type: 'object', object: 'one' })
  await copy.settled()
})

test('ends when it is stopped', async () => {
  const { source, next } = follow()
  source.stop()
  expect(await next()).toBeUndefined()
})
