import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseProxyServerFile } from '../../api/manifest.ts'
import { envoyResourcesOf } from '../../core/proxy/envoy/resources.ts'
import { routesOf } from '../../core/proxy/routes.ts'

const directory = join(import.meta.dirname, '../../../docs/how-to')
const examples = readdirSync(directory)
  .filter((name) => name.startsWith('proxy-'))
  .flatMap((name) => {
    const text = readFileSync(join(directory, name), 'utf8')
    return [...text.matchAll(/```yaml\n(.*?)```/gs)].map((match) => [name, match[1] ?? ''] as const)
  })

it.each(examples)('%s can be served as it stands, by both engines', (name, manifest) => {
  const parsed = parseProxyServerFile(manifest, name)
  if (!parsed.ok) expect.fail(JSON.stringify(parsed.problems))
  expect(routesOf(parsed.value).problems).toEqual([])
  expect(envoyResourcesOf(parsed.value, { podAddresses: [], endpoints: 'discovered' }).problems).toEqual([])
})
