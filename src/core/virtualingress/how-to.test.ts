import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseManifest } from '../../api/manifest.ts'
import { generate } from './generate.ts'
import { ServiceIndex } from './service-index.ts'

const directory = join(import.meta.dirname, '../../../docs/how-to')
const examples = readdirSync(directory)
  .filter((name) => name.startsWith('virtual-ingress'))
  .flatMap((name) => {
    const text = readFileSync(join(directory, name), 'utf8')
    return [...text.matchAll(/```yaml\n(.*?)```/gs)].map((match) => [name, match[1] ?? ''] as const)
  })
  .filter(([, manifest]) => /^kind: VirtualIngress$/m.test(manifest.replaceAll(/ #.*$/gm, '')))

it.each(examples)('%s shows what is accepted and becomes something', (name, manifest) => {
  const parsed = parseManifest(manifest, name, ['VirtualIngress'])
  if (!parsed.ok) expect.fail(JSON.stringify(parsed.problems))
  for (const object of parsed.value.objects) {
    if (object.kind !== 'VirtualIngress') continue
    const world = { services: new ServiceIndex(), isReady: () => true }
    const { problems, draft } = generate(object, world, { last: new Map(), isPublished: false })
    expect(problems).toEqual([])
    expect(draft.length).toBeGreaterThan(0)
  }
})
