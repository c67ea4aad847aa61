import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import type { Warning } from '../../api/manifest.ts'
import { goodManifests } from '../../api/testing/manifests.ts'
import { readAttachedInfra } from './attached-files.ts'
import { readInfraFile } from './infrafile.ts'

const ignore = () => undefined
const good = stringify(goodManifests.Infra)

test('an Infra that can be served is read', () => {
  expect(readAttachedInfra(good, 'infra.yaml', ignore)).toMatchObject({ ok: true, value: { attachments: [] } })
})

test('what only translation finds still names its line', () => {
  const text = good.replace('rangeStart: 192.168.100.100', 'rangeStart: 192.168.100.3')
  const line = text.split('\n').findIndex((written) => written.includes('serverIP: 192.168.100.3')) + 1
  expect(readAttachedInfra(text, 'infra.yaml', ignore)).toMatchObject({
    ok: false,
    problems: expect.arrayContaining([
      expect.objectContaining({ reason: 'AddressTaken', at: { file: 'infra.yaml', line } }),
    ]),
  })
})

test('what is read otherwise than it is written is told', () => {
  const warnings: Warning[] = []
  const manifest = good.replace('dhcp:\n', 'dhcp:\n      image: quay.io/cldmnky/oooi:v0.0.1\n')
  expect(readInfraFile(manifest, 'infra.yaml', (warning) => warnings.push(warning))).toMatchObject({ ok: true })
  expect(warnings).toHaveLength(1)
})

test('two Infras leave open which is meant, other kinds alone are no Infra', () => {
  const second = good.replace('name: c1', 'name: c2')
  expect(readInfraFile(`${good}---\n${second}`, 'x.yaml', ignore)).toMatchObject({
    problems: [{ reason: 'WrongKind', message: expect.stringContaining('2 objects of kind Infra') }],
  })
  expect(readInfraFile(stringify(goodManifests.ProxyServer), 'x.yaml', ignore)).toMatchObject({
    problems: [{ reason: 'WrongKind', message: expect.stringContaining('only ProxyServer, expected Infra') }],
  })
})
