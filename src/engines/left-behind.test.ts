import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { endLeftBehind, noteProgram } from './left-behind.ts'

const command = ['sleep', '1000']
let directory: string
let file: string
let program: ChildProcess

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'oooi-left-'))
  file = join(directory, 'program.json')
  program = spawn('sleep', ['1000'])
  await once(program, 'spawn')
})

afterEach(async () => {
  program.kill('SIGKILL')
  await rm(directory, { recursive: true })
})

test('a program that outlived its oooi is ended', async () => {
  const exit = once(program, 'exit')
  await noteProgram(file, program.pid ?? 0, command)
  await endLeftBehind(file)
  expect(await exit).toEqual([null, 'SIGTERM'])
})

test.each([
  ['another program that has its number by now lives on', () => noteProgram(file, program.pid ?? 0, ['sleep', '999'])],
  ['nothing is noted, nobody is ended', () => Promise.resolve()],
  ['half a note ends nobody', () => writeFile(file, `{"pid": ${program.pid}, "comm`)],
  ['a note of something else ends nobody', () => writeFile(file, '{"pid": -1, "command": []}')],
])('%s', async (_, prepare) => {
  await prepare()
  await endLeftBehind(file)
  expect(program.exitCode ?? program.signalCode).toBe(null)
  expect(process.kill(program.pid ?? 0, 0)).toBe(true)
})
