import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseDhcpServerFile } from '../../api/manifest.ts'
import { readSettings } from './config.ts'

test('the manifest in the README is one that the engine serves', () => {
  const text = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')
  const [, manifest = ''] = /```yaml\n(.*?)```/s.exec(text) ?? []
  const parsed = parseDhcpServerFile(manifest, 'README.md')
  expect(parsed).toMatchObject({ ok: true })
  expect(parsed.ok && readSettings(parsed.value)).toMatchObject({ ok: true })
})
