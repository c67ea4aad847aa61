import { expect, test } from 'vitest'
import { plain } from './plain.ts'

test('what says nothing is not sent: fields that are undefined, blocks that are or become empty', () => {
  const spec = {
    engine: undefined,
    clientOptions: {},
    dhcp: { boot: { file: undefined }, options: { deep: {} } },
    backends: [{ name: 'a', healthCheck: {} }],
    names: [],
    none: null,
  }
  const sent = plain({ apiVersion: 'v1', kind: 'X', metadata: { name: 'a', namespace: undefined }, spec })
  expect(sent).toStrictEqual({
    apiVersion: 'v1',
    kind: 'X',
    metadata: { name: 'a' },
    spec: { backends: [{ name: 'a', healthCheck: {} }], names: [], none: null },
  })
})

test('a spec that says nothing at all is still a spec', () => {
  expect(plain({ apiVersion: 'v1', kind: 'X', metadata: { name: 'a' }, spec: { a: {} } })).toMatchObject({ spec: {} })
})
