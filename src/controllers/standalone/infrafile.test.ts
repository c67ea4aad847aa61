import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { goodManifests } from '../../api/testing/manifests.ts'
import { createLogger } from '../../runtime/observe/log.ts'
import { readInfraFile } from './infrafile.ts'

const silent = createLogger('silent', { write: () => undefined })

test('an Infra that can be served is read', () => {
  expect(readInfraFile(stringify(goodManifests.Infra), 'infra.yaml', silent)).toMatchObject({ ok: true })
})

test('what only translation finds still names its line', () => {
  const text = stringify(goodManifests.Infra).replace('rangeStart: 192.168.100.100', 'rangeStart: 192.168.100.3')
  const line = text.split('\n').findIndex((written) => written.includes('serverIP: 192.168.100.3')) + 1
  expect(readInfraFile(text, 'infra.yaml', silent)).toMatchObject({
    ok: false,
    problems: expect.arrayContaining([
      expect.objectContaining({ reason: 'AddressTaken', at: { file: 'infra.yaml', line } }),
    ]),
  })
})

test('what is read otherwise than it is written is logged', () => {
  const lines: string[] = []
  const log = createLogger('info', { write: (line) => lines.push(line) })
  const manifest = stringify(goodManifests.Infra).replace(
    'dhcp:\n',
    'dhcp:\n      image: quay.io/cldmnky/oooi:v0.0.1\n',
  )
  expect(readInfraFile(manifest, 'infra.yaml', log)).toMatchObject({ ok: true })
  expect(lines.join('')).toContain('"level":"warn"')
})
