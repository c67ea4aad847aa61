import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { goodManifests } from '../api/testing/manifests.ts'
import { type Outcome, oooi } from './testing.ts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'oooi-proxy-cli-'))
})

afterEach(() => rm(directory, { recursive: true }))

async function render(manifest: unknown): Promise<Outcome> {
  const file = join(directory, 'proxy.yaml')
  await writeFile(file, stringify(manifest))
  return oooi('proxy', '--config', file, '--render')
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
