import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { generatedFiles } from './files.ts'

test('what is generated is committed as it is generated; else: make generate', async () => {
  for (const { path, content } of await generatedFiles((file) => readFile(file, 'utf8'))) {
    expect({ path, content: await readFile(path, 'utf8').catch(() => '') }).toEqual({ path, content })
  }
})
