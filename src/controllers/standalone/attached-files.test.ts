import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Warning } from '../../api/manifest.ts'
import type { Result } from '../../core/result.ts'
import { AttachedFiles, readAttachedInfra } from './attached-files.ts'
import { readInfraFile } from './infrafile.ts'

const sample = readFileSync(new URL('../../../config/samples/standalone/two-clusters.yaml', import.meta.url), 'utf8')
const [infra = '', first = '', second = ''] = sample.split('---\n')
const together = (...documents: string[]): string => documents.join('---\n')
const ignore = () => undefined
const machines = 'hostedcluster.densityops.com/machines'

function lineOf(text: string, written: string): number {
  return text.slice(0, text.indexOf(written)).split('\n').length
}

function problemsOf(result: Result<unknown> | undefined) {
  return !result || result.ok ? [] : result.problems
}

function read(text: string) {
  const warnings: Warning[] = []
  return { result: readAttachedInfra(text, 'x.yaml', (warning) => warnings.push(warning)), warnings }
}

test('an Infra has the clusters beside it', () => {
  const { result, warnings } = read(sample)
  expect(result.ok && result.value.attachments.map(({ metadata }) => metadata.name)).toEqual(['first', 'second'])
  expect(warnings).toEqual([])
})

test.each([
  ['no domain', /^ {2}dns:\n.*\n.*\n/m, '', 'spec:', 'InvalidField', 'clusterName and baseDomain are needed'],
  ['an Infra that is nowhere', 'name: shared', 'name: shard', 'name: shard', 'InfraMissing', 'did you mean shared?'],
  ['the name of another', 'name: second', 'name: first', 'name: first', 'NameTaken', 'each cluster needs its own'],
  [
    'the HostedCluster of another',
    'hostedClusterRef:\n    name: second',
    'hostedClusterRef:\n    name: first',
    'hostedClusterRef',
    'DuplicateHostedCluster',
    'clusters-first is the control plane of attachment first already',
  ],
  [
    'the applications of another',
    'enabled: true',
    'enabled: true\n    baseDomain: apps.first.example.com',
    'appsIngress',
    'DuplicateHostname',
    '*.apps.first.example.com',
  ],
  [
    'applications nowhere',
    / {4}address: .*\n/,
    '    metallb:\n      addressPoolName: a\n',
    'appsIngress',
    'InvalidField',
    'is needed outside Kubernetes',
  ],
  ['machines nowhere', '192.168.100.128/26', 'second floor', 'com/machines', 'InvalidField', '"second floor"'],
  ['machines of no network', '192.168.100.128/26', '" ,"', 'com/machines', 'InvalidField', 'no network is given'],
  [
    'machines of another VLAN',
    '192.168.100.128/26',
    '192.168.100.128/26, 192.168.0.0/16',
    'com/machines',
    'InvalidField',
    '192.168.0.0/16 is not within 192.168.100.0/24, the network of the Infra',
  ],
  [
    'machines of another',
    '192.168.100.128/26',
    '192.168.100.0/25',
    'com/machines',
    'InvalidField',
    '192.168.100.0/25 overlaps 192.168.100.64/26 of attachment first: a machine there would belong to both',
  ],
])('an attachment with %s is refused at its line', (_, written, instead, at, reason, words) => {
  const changed = second.replace(written, instead)
  const annotated = first.replace('metadata:\n', `metadata:\n  annotations: { ${machines}: 192.168.100.64/26 }\n`)
  const text = together(infra, annotated, changed)
  const before = together(infra, annotated, '').split('\n').length - 1
  const problems = problemsOf(read(text).result)
  expect(problems).toMatchObject([{ reason, message: expect.stringContaining(words), at: { file: 'x.yaml' } }])
  expect(problems[0]?.at?.line).toBeGreaterThan(before)
  expect(Math.abs((problems[0]?.at?.line ?? 0) - before - lineOf(changed, at))).toBeLessThanOrEqual(1)
})

test('two clusters of one domain are refused', () => {
  const { result } = read(together(infra, first, second.replace('clusterName: second', 'clusterName: first')))
  expect(problemsOf(result)).toMatchObject(
    [
      'first.example.com is the domain of attachment first already: each cluster needs its own',
      '*.apps.first.example.com is the domain of the applications of attachment first already: each cluster needs its own',
    ].map((message) => ({ reason: 'DuplicateHostname', message })),
  )
})

test('a target for a backend of no cluster is refused', () => {
  expect(problemsOf(read(together(infra, first)).result)).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining('there is no backend "second-kube-apiserver"') }),
  )
})

test('what has no effect on a host is told: external Services, machines of nobody', () => {
  const text = together(
    infra.replace('    proxy:\n', '    proxy:\n      externalService:\n        enabled: true\n'),
    first.replace('spec:\n', 'spec:\n  externalService:\n    enabled: true\n'),
    second.replace(/ {2}annotations:\n.*\n.*\n/, ''),
  )
  const { result, warnings } = read(text)
  expect(problemsOf(result)).toEqual([])
  expect(warnings.map(({ field, message }) => `${field}: ${message}`)).toEqual([
    expect.stringContaining('metadata: which machines belong to second is not known'),
    expect.stringContaining('spec.infraComponents.proxy.externalService: has no effect outside Kubernetes'),
    expect.stringContaining('spec.externalService: has no effect outside Kubernetes'),
  ])
  expect(warnings.map(({ at }) => at.line)).toContain(lineOf(text, 'externalService'))
})

test('the cluster of the Infra itself is not lost by attaching another', () => {
  const own = (name: string) =>
    infra.replace('    dns:\n', `    dns:\n      clusterName: ${name}\n      baseDomain: example.com\n`)
  expect(problemsOf(read(together(own('own'), first, second)).result)).toMatchObject([
    { field: 'spec.infraComponents.dns.clusterName', at: { line: lineOf(own('own'), 'clusterName') } },
  ])
  expect(read(together(own('first'), first, second)).result).toMatchObject({ ok: true })
})

test('attachments may be in other files, and a file that breaks takes no cluster away', () => {
  const files = new AttachedFiles(ignore)
  const join = (last: string) =>
    files.join(
      Object.entries({ 'a.yaml': first, 'b.yaml': infra, 'c.yaml': last }).map(([file, text]) => ({
        file,
        content: readInfraFile(text, file, ignore),
      })),
    )
  const served = join(second)
  expect(served).toMatchObject([
    { file: 'b.yaml', content: { ok: true, value: { attachments: [{ metadata: { name: 'first' } }, {}] } } },
  ])
  const broken = join('kind: Nonsense')
  expect(broken[0]).toEqual(served[0])
  expect(broken[1]).toMatchObject({ file: 'c.yaml', content: { ok: false } })
  const nobody = join(second.replace('name: shared', 'name: other'))
  expect(problemsOf(nobody.find(({ file }) => file === 'c.yaml')?.content)).toMatchObject([
    { reason: 'InfraMissing', at: { file: 'c.yaml' } },
  ])
  const wrong = join(second.replace('name: second', 'name: first'))
  expect(problemsOf(wrong[0]?.content)).toMatchObject([{ reason: 'NameTaken', at: { file: 'c.yaml' } }])
})

/** One Infra per file, each with changes to that of the sample. */
function joinInfras(files: AttachedFiles, infras: Readonly<Record<string, string>>) {
  return files.join(
    Object.entries(infras).map(([file, text]) => ({ file, content: readInfraFile(text, file, ignore) })),
  )
}

const alone = readFileSync(new URL('../../../config/samples/standalone/infra.yaml', import.meta.url), 'utf8')
const other = alone.replaceAll('192.168.100.', '192.168.101.').replace('name: my-cluster', 'name: other')

test.each([
  [
    'the name',
    other.replace('name: other', 'name: my-cluster'),
    'NameTaken',
    'name: my-cluster',
    'is in a.yaml already',
  ],
  [
    'an address',
    alone.replace('name: my-cluster', 'name: other'),
    'AddressConflict',
    'serverIP: 192.168.100.2',
    '192.168.100.2 is the address of dhcp of Infra my-cluster in a.yaml already',
  ],
  [
    'the network',
    other.replaceAll('192.168.101.', '192.168.100.').replaceAll('192.168.100.2\n', '192.168.100.3\n'),
    'NetworksOverlap',
    'cidr: ',
    '192.168.100.0/24 overlaps 192.168.100.0/24 of Infra my-cluster in a.yaml',
  ],
  [
    'a part of the network',
    other.replace('192.168.101.0/24', '192.168.100.0/23'),
    'NetworksOverlap',
    'cidr: ',
    '192.168.100.0/23 overlaps 192.168.100.0/24 of Infra my-cluster',
  ],
])('an Infra with %s of another one of the host is refused at its line', (_, second, reason, at, words) => {
  const [, refused] = joinInfras(new AttachedFiles(ignore), { 'a.yaml': alone, 'b.yaml': second })
  expect(problemsOf(refused?.content)).toMatchObject([
    { reason, message: expect.stringContaining(words), at: { file: 'b.yaml', line: lineOf(second, at) } },
  ])
})

test('whoever is served keeps what a newcomer wants, whatever the files are called', () => {
  const files = new AttachedFiles(ignore)
  joinInfras(files, { 'b.yaml': alone })
  const [newcomer, incumbent] = joinInfras(files, { 'a.yaml': alone, 'b.yaml': alone })
  expect(incumbent?.content.ok).toBe(true)
  expect(problemsOf(newcomer?.content)).toMatchObject([{ reason: 'NameTaken', at: { file: 'a.yaml' } }])
  expect(joinInfras(files, { 'a.yaml': alone })).toMatchObject([{ content: { ok: true } }])
})
