import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { locateHelm } from '../../tools/helm/helm.ts'
import { describeWithKyverno, kyverno } from './availability.ts'
import { type Case, cases } from './cases.ts'

const run = promisify(execFile)
const crd = resolve('charts/virtual-ingress/files/crds/hostedcluster.densityops.com_virtualingresses.yaml')

/** The policies as the chart renders them, judged by Kyverno's own command line tool. */
describeWithKyverno('the policies of the chart', () => {
  let folder = ''
  const policies = () => join(folder, 'policies.yaml')

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'oooi-policies-'))
    const values = ['--set', 'engine=kyverno,kyverno.checkInstalled=false', '--kube-version', '1.36.4']
    const args = ['template', 'vi', 'charts/virtual-ingress', ...values, '-s', 'templates/kyverno-policy.yaml']
    const { stdout } = await run((await locateHelm()) ?? 'helm', args)
    await writeFile(policies(), stdout)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  async function judge(name: string, files: Record<string, unknown>): Promise<string> {
    const directory = join(folder, name)
    await mkdir(directory)
    for (const [file, content] of Object.entries(files)) {
      await writeFile(join(directory, file), JSON.stringify(content))
    }
    const { stdout } = await run(kyverno().cli, ['test', directory, '--detailed-results', '--remove-color']).catch(
      (error) => {
        throw new Error(`${error.stdout}${error.stderr}`)
      },
    )
    return stdout
  }

  it.each(cases)('$title', async (one) => {
    const said = await judge(`case-${cases.indexOf(one)}`, filesOf(one, policies()))
    expect(said).toContain('1 tests passed and 0 tests failed')
    if ('error' in one.expected) expect(said).toContain(one.expected.error)
  })

  it('is judged at all: a wrong expectation fails', async () => {
    const [first] = cases
    if (!first) throw new Error('there are no cases')
    const wrong = { ...first, expected: { spec: { ingressClassName: 'another' } } }
    await expect(judge('wrong', filesOf(wrong, policies()))).rejects.toThrow(/1 tests failed|0 tests passed/)
  })
})

function filesOf(one: Case, policies: string): Record<string, unknown> {
  const name = 'relay'
  const namespace = 'tenant'
  const virtualIngress = {
    apiVersion: 'hostedcluster.densityops.com/v1alpha1',
    kind: 'VirtualIngress',
    metadata: { name, namespace, uid: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee', ...one.metadata },
    spec: one.spec,
  }
  const result = { policy: 'virtual-ingress', isGeneratingPolicy: true, kind: 'VirtualIngress' }
  const outcome = 'error' in one.expected ? { result: 'error' } : { result: 'pass', generatedResource: 'expected.yaml' }
  const test = {
    apiVersion: 'cli.kyverno.io/v1alpha1',
    kind: 'Test',
    metadata: { name },
    policies: [policies],
    resources: ['virtualingress.yaml'],
    clusterResources: ['cluster.yaml'],
    results: [{ ...result, resources: [`${namespace}/${name}`], ...outcome }],
  }
  const namespaceObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
  const cluster = {
    apiVersion: 'cli.kyverno.io/v1alpha1',
    kind: 'ClusterResource',
    metadata: { name: 'cluster' },
    spec: { crds: [crd], resources: [namespaceObject, ...one.services] },
  }
  const files = { 'kyverno-test.yaml': test, 'virtualingress.yaml': virtualIngress, 'cluster.yaml': cluster }
  return 'error' in one.expected ? files : { ...files, 'expected.yaml': expectedIngress(one, virtualIngress) }
}

function expectedIngress(
  { expected, spec }: Case,
  source: { metadata: { name: string; namespace: string; uid: string } },
) {
  if ('error' in expected) return {}
  const { name, namespace, uid } = source.metadata
  const generated = spec.generated
  const own = typeof generated === 'object' && generated && 'name' in generated ? generated.name : undefined
  const owner = {
    apiVersion: 'hostedcluster.densityops.com/v1alpha1',
    kind: 'VirtualIngress',
    name,
    uid,
    controller: true,
  }
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: {
      name: own ?? `${name}-generated`,
      namespace,
      // The tool adds it as the controller does.
      labels: { ...expected.labels, 'app.kubernetes.io/managed-by': 'kyverno' },
      ownerReferences: [owner],
    },
    spec: expected.spec,
  }
}
