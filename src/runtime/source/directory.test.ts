import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { failed, ok } from '../../core/result.ts'
import { DirectorySource } from './directory.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'oooi-directory-source-'))
  onTestFinished(() => rm(directory, { recursive: true }))
})

const parse = (text: string) => (text === 'bad' ? failed({ reason: 'InvalidYaml', message: 'it is bad' }) : ok(text))

function follow(goneMs = 20) {
  const source = new DirectorySource({ path: directory, parse, rereadMs: 20, goneMs })
  const events = source.events()[Symbol.asyncIterator]()
  onTestFinished(() => source.stop())
  return async () => (await events.next()).value
}

test('all manifests in the order of their names, then again when one comes, changes or goes', async () => {
  await writeFile(join(directory, 'b.yaml'), 'second')
  await writeFile(join(directory, 'a.yml'), 'first')
  await writeFile(join(directory, 'notes.txt'), 'not a manifest')
  await writeFile(join(directory, '.hidden.yaml'), 'an editor writes such files')
  const next = follow()
  const [a, b] = [join(directory, 'a.yml'), join(directory, 'b.yaml')]
  const both = [
    { file: a, content: ok('first') },
    { file: b, content: ok('second') },
  ]
  expect(await next()).toEqual({ type: 'object', object: both })
  // In one step: who reads a file that is written in place may find it empty.
  await writeFile(join(directory, '.b.new'), 'bad')
  await rename(join(directory, '.b.new'), b)
  expect(await next()).toMatchObject({ object: [both[0], { file: b, content: { ok: false } }] })
  await rm(a)
  expect(await next()).toMatchObject({ object: [{ file: b }] })
})

test('a file that is moved away before the new one is written was never gone', async () => {
  const [file, backup] = [join(directory, 'a.yaml'), join(directory, 'a.yaml~')]
  await writeFile(file, 'first')
  await writeFile(join(directory, 'b.yaml'), 'other')
  const next = follow(5000)
  expect(await next()).toMatchObject({ object: [{ file }, {}] })
  await rename(file, backup)
  await sleep(100)
  await writeFile(backup, 'second')
  await rename(backup, file)
  expect(await next()).toMatchObject({ object: [{ file, content: ok('second') }, {}] })
})

test('a directory without manifests, or none at all, is a sentence', async () => {
  expect(await follow()()).toMatchObject({
    type: 'problems',
    problems: [{ reason: 'FileUnreadable', message: expect.stringContaining('holds no manifest') }],
  })
  const gone = new DirectorySource({ path: join(directory, 'gone'), parse })
  onTestFinished(() => gone.stop())
  expect((await gone.events()[Symbol.asyncIterator]().next()).value).toMatchObject({
    problems: [{ message: expect.stringContaining('cannot read the directory') }],
  })
})
