import { expect, it } from 'vitest'
import { versionIn } from './version.ts'

it.each([
  ['knotd (Knot DNS), version 3.2.6\n', '3.2.6'],
  ['CoreDNS-1.12.4\nlinux/amd64, go1.26.8, \n', '1.12.4'],
  ['HAProxy version 2.6.12-1+deb12u4 2026/01/01 - https://haproxy.org/\n', '2.6.12'],
  ['2.2.0\n', '2.2.0'],
  ['', 'of unknown version'],
])('%j is version %s', (text, version) => {
  expect(versionIn(text)).toBe(version)
})

it('a pattern says where the version is', () => {
  expect(versionIn('-s the server (default: 127.0.0.1)\nVersion 2.10.0\n', /Version ([\d.]+)/)).toBe('2.10.0')
})
