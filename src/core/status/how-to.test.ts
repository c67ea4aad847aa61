import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { parseInfraFile } from '../../api/manifest.ts'
import { translate } from '../translate/translate.ts'
import { attachmentProblem, attachmentRemarks, machineNetworkProblem } from './attachment.ts'

const page = join(import.meta.dirname, '../../../docs/how-to/static-addresses.md')
const blocks = Array.from(readFileSync(page, 'utf8').matchAll(/^```yaml\n(.*?)^```/gms), ([, yaml = '']) => yaml)
const isInfra = (yaml: string): boolean => yaml.includes('kind: Infra')

test('the definitions that the guide shows are usable: for components, and for machines', () => {
  const definitions = blocks
    .filter((yaml) => !isInfra(yaml))
    .flatMap((yaml) => parseAllDocuments(yaml).map((document) => document.toJS()))
  for (const definition of definitions) {
    const { name } = definition.metadata
    if (name.endsWith('-vms')) expect(machineNetworkProblem(name, definition)).toBeUndefined()
    else
      expect([attachmentProblem(name, definition, true), attachmentRemarks(name, definition)]).toEqual([undefined, []])
  }
  expect(definitions).toHaveLength(3)
})

test.each(blocks.filter(isInfra))('an Infra that it shows becomes components in a cluster: %#', (yaml) => {
  const infra = parseInfraFile(yaml, 'static-addresses.md')
  if (!infra.ok) expect.fail(JSON.stringify(infra.problems))
  expect(translate(infra.value, { mode: 'cluster' })).toMatchObject({
    ok: true,
    value: { dhcp: {}, dns: {}, proxy: {} },
  })
})
