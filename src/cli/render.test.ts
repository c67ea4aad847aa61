import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { goodManifests } from '../api/testing/manifests.ts'
import { renderCommand } from './render.ts'
import { type Outcome, testTerminal } from './testing.ts'

async function run(stdin: string, ...args: string[]): Promise<Outcome> {
  const { terminal, outcome } = testTerminal({ stdin })
  await new Command().addCommand(renderCommand(terminal)).parseAsync(['render', ...args], { from: 'user' })
  return outcome()
}

const good = stringify(goodManifests.Infra)

test('prints the three components as YAML', async () => {
  const { stdout, stderr, exitCode } = await run(good, '-f', '-')
  expect([exitCode, stderr]).toEqual([0, ''])
  const documents = parseAllDocuments(stdout).map((document) => document.toJS())
  expect(documents.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([
    ['DHCPServer', 'c1-dhcp'],
    ['DNSServer', 'c1-dns'],
    ['ProxyServer', 'c1-proxy'],
  ])
})

test('texts that YAML 1.1 takes for something else are quoted', async () => {
  const odd = { ...goodManifests.Infra, metadata: { name: 'y', namespace: '0o7' } }
  const { stdout } = await run(JSON.stringify(odd), '-f', '-')
  expect(stdout).toContain('namespace: "0o7"')
  const components = parseAllDocuments(stdout, { version: '1.1' }).map((document) => document.toJS())
  expect(components.map(({ metadata }) => metadata.namespace)).toEqual(['0o7', '0o7', '0o7'])
})

test('prints one List as JSON', async () => {
  const { stdout } = await run(good, '-f', '-', '-o', 'json')
  expect(JSON.parse(stdout)).toMatchObject({ apiVersion: 'v1', kind: 'List', items: [{}, {}, {}] })
  expect(parse(stdout)).toEqual(JSON.parse(stdout))
})

test('tells all problems at once, with their lines, and prints nothing else', async () => {
  const bad = good.replace('192.168.100.3', '10.0.0.3').replace('192.168.100.10\n', '10.0.0.4\n')
  const { stdout, stderr, exitCode } = await run(bad, '-f', '-')
  expect([exitCode, stdout]).toEqual([3, ''])
  expect(stderr.trim().split('\n')).toEqual([
    expect.stringMatching(/^oooi: stdin:\d+: spec\.infraComponents\.dns\.serverIP: "10\.0\.0\.3" must lie inside/),
    expect.stringMatching(/^oooi: stdin:\d+: spec\.infraComponents\.proxy\.serverIP: "10\.0\.0\.4" must lie inside/),
  ])
})

test('problems between components have lines too', async () => {
  const { stderr, exitCode } = await run(good.replace('192.168.100.3', '192.168.100.150'), '-f', '-')
  expect(exitCode).toBe(3)
  expect(stderr).toMatch(/^oooi: stdin:17: spec\.infraComponents\.dns\.serverIP: .*\[AddressTaken\]\n$/)
})

test('warnings go to standard error and change nothing', async () => {
  const { stdout, stderr, exitCode } = await run(`kind: Namespace\napiVersion: v1\n---\n${good}`, '-f', '-')
  expect(exitCode).toBe(0)
  expect(stderr).toBe('oooi: warning: stdin:1: an object of kind Namespace is left out\n')
  expect(stdout).toContain('DHCPServer')
})

test('clusters attached to an Infra in the same file are rendered with it, those attached to nobody refused', async () => {
  const sample = readFileSync(new URL('../../config/samples/standalone/two-clusters.yaml', import.meta.url), 'utf8')
  const { stdout, stderr, exitCode } = await run(sample, '-f', '-')
  expect([exitCode, stderr]).toEqual([0, ''])
  expect(stdout).toContain('name: "second-kube-apiserver"\n')
  const stray = await run(sample.replace(/(infraRef:\n {4}name: )shared/, '$1shard'), '-f', '-')
  expect([stray.exitCode, stray.stdout]).toEqual([3, ''])
  expect(stray.stderr).toMatch(/stdin:\d+: spec\.infraRef\.name: there is no Infra "shard".*did you mean shared\?/)
})

test('a file that is not there', async () => {
  const { stderr, exitCode } = await run('', '-f', '/nowhere/infra.yaml')
  expect(exitCode).toBe(3)
  expect(stderr).toContain('/nowhere/infra.yaml')
})
