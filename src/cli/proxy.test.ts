import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { goodManifests } from '../api/testing/manifests.ts'
import { createProgram, runProgram } from './program.ts'
import type { Terminal } from './terminal.ts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'oooi-proxy-cli-'))
})

afterEach(() => rm(directory, { recursive: true }))

async function render(manifest: unknown) {
  const output = { stdout: '', stderr: '' }
  const into = (name: keyof typeof output) =>
    new Writable({
      write(chunk, _, done) {
        output[name] += String(chunk)
        done()
      },
    })
  const terminal: Terminal = {
    stdin: Readable.from([]),
    stdout: into('stdout'),
    stderr: into('stderr'),
    env: {},
    interactive: false,
    userId: 1000,
    stop: new AbortController().signal,
    exitCode: 0,
  }
  const file = join(directory, 'proxy.yaml')
  await writeFile(file, stringify(manifest))
  await runProgram(createProgram(terminal), ['proxy', '--config', file, '--render'], terminal)
  return { ...output, exitCode: terminal.exitCode }
}

test('--render prints what Envoy would be told, as one file', async () => {
  const { stdout, exitCode } = await render(goodManifests.ProxyServer)
  expect(exitCode).toBe(0)
  const { static_resources: resources, admin } = parse(stdout)
  expect(resources.clusters.length).toBeGreaterThan(0)
  expect(resources.listeners.length).toBeGreaterThan(0)
  expect(admin.address.pipe).toBeDefined()
})

test('--render says what is wrong with a manifest', async () => {
  const { stdout, stderr, exitCode } = await render({ kind: 'ProxyServer' })
  expect([stdout, exitCode]).toEqual(['', 3])
  expect(stderr).toContain('proxy.yaml')
})
