import { execFileSync } from 'node:child_process'
import { appendFile, mkdtemp, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { failed, ok, type Result } from '../../core/result.ts'
import { FileSource } from './file.ts'
import type { SourceEvent } from './source.ts'

let directory: string
let path: string
const sources: FileSource<string>[] = []
let parsed: string[]

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'oooi-source-'))
  path = join(directory, 'infra.yaml')
  parsed = []
})

afterEach(async () => {
  for (const source of sources.splice(0)) source.stop()
  await rm(directory, { recursive: true })
})

function parse(text: string, file: string): Result<string> {
  parsed.push(text)
  return text.startsWith('bad') ? failed({ reason: 'InvalidYaml', message: text, at: { file, line: 1 } }) : ok(text)
}

/** In one step: who reads a file that is written in place may find it empty. */
async function put(text: string, at = path): Promise<void> {
  await writeFile(`${at}.new`, text)
  await rename(`${at}.new`, at)
}

function follow(rereadMs = 60_000): {
  next: () => Promise<SourceEvent<string> | undefined>
  source: FileSource<string>
} {
  const source = new FileSource({ path, parse, rereadMs })
  sources.push(source)
  const events = source.events()[Symbol.asyncIterator]()
  return { source, next: async () => (await events.next()).value }
}

test('tells the content now and every change after it', async () => {
  await writeFile(path, 'one')
  const { next } = follow()
  expect(await next()).toEqual({ type: 'object', object: 'one' })
  await appendFile(path, ' and two')
  expect(await next()).toEqual({ type: 'object', object: 'one and two' })
})

test('sees a file that was replaced by a rename, as editors and configuration tools do', async () => {
  await writeFile(path, 'one')
  const { next } = follow()
  await next()
  await put('two')
  expect(await next()).toEqual({ type: 'object', object: 'two' })
})

test('sees a link that changed its target elsewhere, by reading again', async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), 'oooi-source-'))
  await writeFile(join(elsewhere, 'data'), 'one')
  await symlink(join(elsewhere, 'data'), path)
  const { next } = follow(50)
  await next()
  await put('two', join(elsewhere, 'data'))
  expect(await next()).toEqual({ type: 'object', object: 'two' })
  await rm(elsewhere, { recursive: true })
})

test('a pipe, which can be read once, is refused in a sentence and keeps nobody waiting', async () => {
  execFileSync('mkfifo', [path])
  expect(await follow().next()).toMatchObject({
    type: 'problems',
    problems: [{ reason: 'FileUnreadable', message: expect.stringContaining('it is a pipe') }],
  })
})

test('a mistake is an event, and so is its mending', async () => {
  await writeFile(path, 'bad: [')
  const { next } = follow()
  expect(await next()).toMatchObject({ type: 'problems', problems: [{ reason: 'InvalidYaml' }] })
  await put('good')
  expect(await next()).toEqual({ type: 'object', object: 'good' })
})

test('a file that is not there, or goes away, is one sentence', async () => {
  const { next } = follow()
  expect(await next()).toMatchObject({
    type: 'problems',
    problems: [{ reason: 'FileUnreadable', message: `cannot read ${path}: there is no such file` }],
  })
  await put('one')
  expect(await next()).toEqual({ type: 'object', object: 'one' })
  await unlink(path)
  expect(await next()).toMatchObject({ type: 'problems', problems: [{ reason: 'FileUnreadable' }] })
})

test('a consumer that was busy sees the newest version only', async () => {
  await writeFile(path, 'one')
  const { next } = follow(20)
  await next()
  await put('two')
  await expect.poll(() => parsed.at(-1)).toBe('two')
  await put('three')
  await expect.poll(() => parsed.at(-1)).toBe('three')
  expect(await next()).toEqual({ type: 'object', object: 'three' })
})

test('ends when it is stopped', async () => {
  await writeFile(path, 'one')
  const { next, source } = follow()
  await next()
  source.stop()
  expect(await next()).toBeUndefined()
})
