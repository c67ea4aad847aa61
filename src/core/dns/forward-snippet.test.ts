import { expect, test } from 'vitest'
import { corefileBlock, openshiftPatch } from './forward-snippet.ts'

const forwarding = { name: 'my-infra-dns', zones: ['c1.example.com', 'c2.example.net'], address: '172.30.93.17' }
const entry = {
  name: 'my-infra',
  zones: forwarding.zones,
  forwardPlugin: { policy: 'Sequential', upstreams: ['172.30.93.17'] },
}

test.each([
  ['makes the list where there is none', undefined, [{ op: 'add', path: '/spec/servers', value: [entry] }]],
  ['appends to that of others', [{ name: 'corp' }], [{ op: 'add', path: '/spec/servers/-', value: entry }]],
  [
    'replaces its own',
    [{ name: 'corp' }, { name: 'my-infra' }],
    [{ op: 'replace', path: '/spec/servers/1', value: entry }],
  ],
])('%s', (_what, present, patch) => {
  expect(openshiftPatch(forwarding, present)).toEqual(patch)
})

test('the name of the entry is one that the DNS operator takes', () => {
  const [change] = openshiftPatch({ ...forwarding, name: 'a-rather-long-n-of-infra-dns' }, undefined)
  expect(change).toMatchObject({ value: [{ name: 'a-rather-long-n' }] })
})

test('a block for a Corefile', () => {
  expect(corefileBlock(forwarding)).toBe(
    'c1.example.com:53 c2.example.net:53 {\n    errors\n    cache 30\n    forward . 172.30.93.17\n}\n',
  )
})
