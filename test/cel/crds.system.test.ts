import { readdir, readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { objectSchema } from '../../src/api/crd/definition.ts'
import type { StructuralSchema } from '../../src/api/crd/structural.ts'
import { isKindName, type KindDefinition, kinds, type Resource } from '../../src/api/kinds.ts'
import { apiGroup } from '../../src/api/meta.ts'
import { goodManifests } from '../../src/api/testing/manifests.ts'
import { describeWithControlPlane } from '../envtest/availability.ts'
import { untilExplained, useInstalledKinds } from './installed.ts'

const kindNames = Object.keys(kinds).filter(isKindName)
const sampleFolder = 'config/samples'

interface Condition {
  readonly type: string
  readonly status: string
}

function fieldNames({ properties = {}, items }: StructuralSchema): string[] {
  const below = [...Object.values(properties), ...(items ? [items] : [])]
  return [...new Set([...Object.keys(properties), ...below.flatMap(fieldNames)])]
}

describeWithControlPlane('the kinds in a cluster', () => {
  const installed = useInstalledKinds()
  beforeAll(() => untilExplained(installed().plane))

  test.each(kindNames)('%s is established, and its schema is structural', async (kind) => {
    const { body } = await installed().plane.request<{ status: { conditions: Condition[] } }>(
      `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${kinds[kind].plural}.${apiGroup}`,
    )
    const conditions = body.status.conditions.map(({ type, status }) => [type, status])
    expect(Object.fromEntries(conditions)).toEqual({ NamesAccepted: 'True', Established: 'True' })
  })

  test.each(kindNames)('kubectl explain knows every field of %s', async (kind) => {
    const definition: KindDefinition<Resource> = kinds[kind]
    const explained = await installed().plane.kubectl(['explain', `${definition.plural}.${apiGroup}`, '--recursive'])
    const { spec, status } = objectSchema(definition).properties ?? {}
    const missing = [spec, status]
      .flatMap((part) => (part ? fieldNames(part) : []))
      .filter((name) => !new RegExp(`^ +${name}\\t`, 'm').test(explained))
    expect(missing).toEqual([])
  })

  test('kubectl explain says what a field means', async () => {
    const path = `infras.spec.networkConfig.gateway`
    const explained = await installed().plane.kubectl(['explain', path, `--api-version=${apiGroup}/v1alpha1`])
    expect(explained).toContain('Router of the VLAN; none: clients get no default route.')
    expect(explained.replaceAll(/\s+/g, ' ')).toContain('Must be an IPv4 address such as 192.168.100.2.')
  })

  test('kubectl get oooi shows all of them, each with its columns', async () => {
    const { plane, namespace, create } = installed()
    for (const kind of kindNames) {
      const { complaints } = await create(kind, goodManifests[kind], { keep: true })
      // An earlier try may have made it.
      expect(complaints.filter((text) => !text.includes('already exists'))).toEqual([])
    }
    const shown = await plane.kubectl(['get', 'oooi', '-n', namespace])
    for (const kind of kindNames) {
      const header = ['NAME', ...kinds[kind].columns.map(({ name }) => name.toUpperCase())].join(' +')
      expect(shown).toMatch(new RegExp(`^${header}`, 'm'))
      expect(shown).toContain(`${kind.toLowerCase()}.${apiGroup}/${goodManifests[kind].metadata.name}`)
    }
  })

  test('the short names are taken by nobody else', async () => {
    const { plane, namespace } = installed()
    for (const { shortNames, kind } of Object.values(kinds)) {
      for (const shortName of shortNames) {
        const shown = await plane.kubectl(['get', shortName, '-n', namespace, '-o', 'name'])
        expect(
          shown
            .trim()
            .split('\n')
            .every((line) => line === '' || line.startsWith(kind.toLowerCase())),
        ).toBe(true)
      }
    }
  })

  describe('the samples', async () => {
    test('kubectl applies all those for clusters at once, strictly', async () => {
      const { plane } = installed()
      // Nobody else's: the namespace that the samples name.
      await plane.kubectl(['create', 'namespace', 'clusters']).catch(() => undefined)
      const parameters = ['apply', '--dry-run=server', '--validate=strict', '-o', 'name', '-f', sampleFolder]
      const made = (await plane.kubectl(parameters)).trim().split('\n')
      expect(made).toHaveLength(new Set(made).size)
      const files = (await readdir(sampleFolder)).filter((file) => file.endsWith('.yaml'))
      const texts = await Promise.all(files.map((file) => readFile(`${sampleFolder}/${file}`, 'utf8')))
      expect(made).toHaveLength(texts.join('\n').match(/^kind:/gm)?.length ?? 0)
    })

    // One process serves these, without Kubernetes: all components may share an address there.
    const forHosts = (await readdir(`${sampleFolder}/standalone`)).map((file) => `${sampleFolder}/standalone/${file}`)
    test.each(forHosts)('%s is for a host, and the API server says why', async (file) => {
      const [document] = parseAllDocuments(await readFile(file, 'utf8'))
      const { complaints } = await installed().create('Infra', document && 'toJS' in document ? document.toJS() : {})
      expect(complaints.join('\n')).toContain('pods reach the VLAN through it')
    })
  })
})
