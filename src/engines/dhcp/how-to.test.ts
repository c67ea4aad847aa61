import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readSettings } from './config.ts'
import { dhcpServer } from './testing/vlan.ts'

const directory = join(import.meta.dirname, '../../../docs/how-to')
const blocks = readdirSync(directory)
  .filter((name) => /^dhcp-.*\.md$/.test(name))
  .flatMap((name) => {
    const text = readFileSync(join(directory, name), 'utf8')
    return Array.from(text.matchAll(/^```yaml\n(.*?)^```/gms), ([, yaml = '']) => ({ name, yaml }))
  })

describe('what the how-to guides tell people to write', () => {
  test.each(blocks)('$name', ({ yaml }) => {
    expect(readSettings(dhcpServer({ spec: parse(yaml).spec }))).toMatchObject({ ok: true })
  })

  test('is found', () => {
    expect(blocks.length).toBeGreaterThanOrEqual(4)
  })
})
