import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { generatedFiles } from './generate/files.ts'

/** Writes every file that is made from the sources. With --check it only says which of them are stale. */
const check = process.argv.includes('--check')
const stale: string[] = []

for (const { path, content } of await generatedFiles((path) => readFile(path, 'utf8'))) {
  const current = await readFile(path, 'utf8').catch(() => '')
  if (current === content) continue
  stale.push(path)
  if (check) continue
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
}

for (const path of stale) process.stdout.write(`${check ? 'stale' : 'written'}: ${path}\n`)
if (check && stale.length > 0) {
  process.stderr.write('Run make generate and commit what it writes.\n')
  process.exitCode = 1
}
