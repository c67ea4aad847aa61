import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { isKindName } from '../../src/api/kinds.ts'
import { describeWithControlPlane } from '../envtest/availability.ts'
import { useInstalledKinds } from './installed.ts'

const folder = 'src/core/translate/testdata'
const goldenFiles = readdirSync(folder).filter((file) => file.endsWith('.out.yaml') && !file.startsWith('problem'))

describeWithControlPlane('what an Infra becomes', () => {
  const installed = useInstalledKinds()

  test.each(goldenFiles)('%s is taken by the API server', async (file) => {
    const documents = parseAllDocuments(await readFile(`${folder}/${file}`, 'utf8'))
    for (const document of documents) {
      const object: unknown = 'toJS' in document ? document.toJS() : undefined
      const kind = 'get' in document ? String(document.get('kind')) : ''
      if (!isKindName(kind)) throw new Error(`${file} holds a ${kind}`)
      expect((await installed().create(kind, object)).complaints).toEqual([])
    }
  })
})
