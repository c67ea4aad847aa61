import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readDirectory } from './directory.ts'
import { readManifestFile } from './manifest-text.ts'

const directory = mkdtempSync(join(tmpdir(), 'oooi-manifest-text-'))
afterAll(() => rmSync(directory, { recursive: true }))

const path = (name: string) => join(directory, name)

test('text as it is, without the mark that some editors put before it', async () => {
  writeFileSync(path('plain.yaml'), 'kind: Infra # für c1\n')
  expect(await readManifestFile(path('plain.yaml'))).toEqual({ ok: true, value: 'kind: Infra # für c1\n' })
  writeFileSync(path('marked.yaml'), '\uFEFFkind: Infra\n')
  expect(await readManifestFile(path('marked.yaml'))).toEqual({ ok: true, value: 'kind: Infra\n' })
  symlinkSync('plain.yaml', path('link.yaml'))
  expect(await readManifestFile(path('link.yaml'))).toMatchObject({ ok: true })
})

writeFileSync(path('latin1.yaml'), Buffer.from('kind: Infra\n# f\xfcr c1\n', 'latin1'))
writeFileSync(path('utf16.yaml'), Buffer.from('\uFEFFkind: Infra\n', 'utf16le'))
writeFileSync(path('huge.yaml'), '')
truncateSync(path('huge.yaml'), 100 * 1024 ** 3)
symlinkSync('gone.yaml', path('dangling.yaml'))
symlinkSync('circle.yaml', path('circle.yaml'))
mkdirSync(path('directory.yaml'))

test.each([
  ['gone.yaml', 'there is no such file'],
  ['dangling.yaml', 'there is no such file'],
  ['circle.yaml', 'its symbolic links lead in a circle'],
  ['directory.yaml', 'it is a directory'],
  ['plain.yaml/x', 'a part of its path is no directory'],
  [`${'x'.repeat(300)}.yaml`, 'its name is too long'],
  ['latin1.yaml', 'line 2 is not UTF-8; save the file as UTF-8'],
  ['utf16.yaml', 'line 1 is not UTF-8; save the file as UTF-8'],
  ['huge.yaml', 'it has more than 4 MiB and cannot be a manifest'],
  ['../../../../../dev/zero', 'it has more than 4 MiB and cannot be a manifest'],
])('%s is refused in one sentence', async (name, why) => {
  expect(await readManifestFile(path(name))).toEqual({
    ok: false,
    problems: [{ reason: 'FileUnreadable', message: `cannot read ${path(name)}: ${why}` }],
  })
})

test('a directory: what is no manifest is left alone, what keeps readers waiting is refused', async () => {
  const inside = path('inside')
  mkdirSync(inside)
  expect(await readDirectory(inside)).toMatchObject({
    problems: [{ message: `${inside} holds no manifest: no file ends in .yaml, .yml or .json` }],
  })
  for (const name of ['README.md', 'c1.yaml.bak', '.c1.yaml.swp', '.hidden.yaml'])
    writeFileSync(join(inside, name), 'x')
  execFileSync('mkfifo', [join(inside, 'pipe.yaml')])
  const file = join(inside, 'pipe.yaml')
  const message = `cannot read ${file}: it is a pipe; changes can be followed in a file alone`
  expect(await readDirectory(inside)).toEqual({
    ok: true,
    value: [{ file, text: { ok: false, problems: [{ reason: 'FileUnreadable', message }] } }],
  })
  expect(await readDirectory(path('plain.yaml'))).toMatchObject({
    problems: [{ message: `cannot read the directory ${path('plain.yaml')}: a part of its path is no directory` }],
  })
  expect(await readDirectory(path('gone'))).toMatchObject({
    problems: [{ message: `cannot read the directory ${path('gone')}: there is no such file` }],
  })
})
