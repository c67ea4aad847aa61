import { mkdtemp, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { failed, ok, type Result } from '../../core/result.ts'
import { FileSource } from './file.ts'
import type { SourceEvent } from './source.ts'

let directory: string
let path: string
const sources: FileSource<string>[] = []

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'oooi-source-'))
  path = join(directory, 'infra.yaml')
})

afterEach(async () => {
  for (const source of sources.splice(0)) source.stop()
  await rm(directory, { recursive: true })
})

function parse(text: string, file: string): Result<string> {
  return text.startsWith('bad') ? failed({ reason: 'InvalidYaml', message: text, at: { file, line: 1 } }) : ok(text)
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
  await writeFile(path, 'two')
  expect(await next()).toEqual({ type: 'object', object: 'two' })
})

test('sees a file that was replaced by a rename, as editors and configuration tools do', async () => {
  await writeFile(path, 'one')
  const { next } = follow()
  await next()
  await writeFile(`${path}.new`, 'two')
  await rename(`${path}.new`, path)
  expect(await next()).toEqual({ type: 'object', object: 'two' })
})

test('sees a link that changed its target elsewhere, by reading again', async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), 'oooi-source-'))
  await writeFile(join(elsewhere, 'data'), 'one')
  await symlink(join(elsewhere, 'data'), path)
  const { next } = follow(50)
  await next()
  await writeFile(join(elsewhere, 'data'), 'two')
  expect(await next()).toEqual({ type: 'object', object: 'two' })
  await rm(elsewhere, { recursive: true })
})

test('a mistake is an event, and so is its mending', async () => {
  await writeFile(path, 'bad: [')
  const { next } = follow()
  expect(await next()).toMatchObject({ type: 'problems', problems: [{ reason: 'InvalidYaml' }] })
  await writeFile(path, 'good')
  expect(await next()).toEqual({ type: 'object', object: 'good' })
})

test('a file that is not there, or goes away, is one sentence', async () => {
  const { next } = follow()
  expect(await next()).toMatchObject({
    type: 'problems',
    problems: [{ reason: 'FileUnreadable', message: `cannot read ${path}: there is no such file` }],
  })
  await writeFile(path, 'one')
  expect(await next()).toEqual({ type: 'object', object: 'one' })
  await unlink(path)
  expect(await next()).toMatchObject({ type: 'problems', problems: [{ reason: 'FileUnreadable' }] })
})

test('a consumer that was busy sees the newest version only', async () => {
  await writeFile(path, 'one')
  const { next } = follow(20)
  await next()
  await writeFile(path, 'two')
  await new Promise((resolve) => setTimeout(resolve, 200))
  await writeFile(path, 'three')
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(await next()).toEqual({ type: 'object', object: 'three' })
})

test('ends when it is stopped', async () => {
  await writeFile(path, 'one')
  const { next, source } = follow()
  await next()
  source.stop()
  expect(await next()).toBeUndefined()
})
