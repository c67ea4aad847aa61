import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { goodManifests } from '../../api/testing/manifests.ts'
import { runProgram } from '../program.ts'
import { type Outcome, testTerminal } from '../testing.ts'

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'oooi-preview-'))
})
afterAll(() => rm(directory, { recursive: true }))

const labels = { 'cluster.x-k8s.io/tenant-service-name': 'relay' }

function service(name: string, more: object = labels): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, labels: more },
    spec: { ports: [{ port: 80 }] },
  }
}

async function preview(services: readonly object[], source: object, ...args: string[]): Promise<Outcome> {
  const file = join(directory, 'services.yaml')
  await writeFile(file, stringify({ apiVersion: 'v1', kind: 'List', items: services }))
  const { terminal, outcome } = testTerminal({ stdin: JSON.stringify(source) })
  await runProgram(['virtual-ingress', 'preview', '-f', '-', '--services', file, ...args], terminal)
  return outcome()
}

const good = goodManifests.VirtualIngress

test('prints the Ingress with the name of the Service', async () => {
  const { stdout, stderr, exitCode } = await preview([service('a18c2be'), service('other', { a: 'b' })], good)
  expect([exitCode, stderr]).toEqual([0, ''])
  const ingress = parse(stdout)
  expect(ingress).toMatchObject({ kind: 'Ingress', metadata: { name: 'relay-generated', namespace: 'default' } })
  expect(ingress.spec.rules[0].http.paths[0].backend.service).toEqual({ name: 'a18c2be', port: { number: 80 } })
})

test('says which Services match and fails, when they are none or several', async () => {
  const none = await preview([service('other', { a: 'b' })], good)
  expect([none.exitCode, none.stdout]).toEqual([1, ''])
  expect(none.stderr).toContain('oooi: default/relay: ')
  expect(none.stderr).toContain('there is no Service with cluster.x-k8s.io/tenant-service-name=relay [NoMatch]')
  const several = await preview([service('one'), service('two')], good)
  expect([several.exitCode, several.stdout]).toEqual([1, ''])
  expect(several.stderr).toContain('2 Services match cluster.x-k8s.io/tenant-service-name=relay: one, two')
})

test('shows the 503 that would be answered, and still fails', async () => {
  const source = { ...good, spec: { ...good.spec, selection: { noMatch: 'Unavailable' } } }
  const { stdout, exitCode } = await preview([], source, '-o', 'json')
  expect(exitCode).toBe(1)
  expect(JSON.parse(stdout).items.map(({ kind }: { kind: string }) => kind)).toEqual(['Service', 'Ingress'])
})

test('a manifest that cannot be is refused with its line', async () => {
  const route = { ...good, spec: { ...good.spec, output: 'HTTPRoute' } }
  expect(await preview([], route)).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('parentRefs') })
  const [rule] = good.spec.rules ?? []
  const services = [{ matchLabels: labels, port: { number: 80 } }]
  const paths = [{ path: '/', pathType: 'Prefix', backend: { services } }]
  const weighted = { ...good, spec: { rules: [{ ...rule, http: { paths } }] } }
  const { exitCode, stderr } = await preview([], weighted)
  expect(exitCode).toBe(3)
  expect(stderr).toContain('is for output HTTPRoute')
})
