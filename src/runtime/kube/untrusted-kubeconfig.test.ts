import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FakeClock } from '../time/fake-clock.ts'
import { untrustedAccess } from './untrusted-kubeconfig.ts'

const clock = new FakeClock()

function config(user: object, cluster: object = {}): string {
  return JSON.stringify({
    'current-context': 'a',
    clusters: [{ name: 'a', cluster: { server: 'https://a.example', ...cluster } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    users: [{ name: 'a', user }],
  })
}

test('credentials inside are accepted', async () => {
  const data = Buffer.from('pem').toString('base64')
  const user = { token: 't', 'client-certificate-data': data, 'client-key-data': data }
  const result = untrustedAccess(config(user, { 'certificate-authority-data': data }), 'Secret a', clock)
  expect(result).toMatchObject({ ok: true, access: { server: 'https://a.example' } })
})

test.each([
  ['exec', { exec: { command: '/bin/sh' } }, {}],
  ['auth-provider', { 'auth-provider': { name: 'gcp' } }, {}],
  ['tokenFile', { tokenFile: '/etc/shadow' }, {}],
  ['client-certificate', { 'client-certificate': '/etc/shadow' }, {}],
  ['client-key', { 'client-key': '/etc/shadow' }, {}],
  ['as', { as: 'system:admin' }, {}],
  ['certificate-authority', {}, { 'certificate-authority': '/etc/passwd' }],
  ['insecure-skip-tls-verify', {}, { 'insecure-skip-tls-verify': true }],
  ['proxy-url', {}, { 'proxy-url': 'http://evil.example' }],
])('%s is refused by name', (field, user, cluster) => {
  const result = untrustedAccess(config(user, cluster), 'Secret a', clock)
  expect(result).toMatchObject({ ok: false, message: expect.stringContaining(`uses ${field},`) })
})

test('an entry that no context uses is refused all the same', () => {
  const parsed = JSON.parse(config({ token: 't' }))
  parsed.users.push({ name: 'b', user: { exec: { command: 'x' } } })
  expect(untrustedAccess(JSON.stringify(parsed), 'Secret a', clock).ok).toBe(false)
})

test('plain HTTP is refused', () => {
  expect(untrustedAccess(config({}, { server: 'http://a.example' }), 'Secret a', clock).ok).toBe(false)
})

test('any text gives access or a sentence', () => {
  const bomb = `a: &a [${'x,'.repeat(9)}]\nb: &b [${'*a,'.repeat(9)}]\nc: &c [${'*b,'.repeat(9)}]\nd: [${'*c,'.repeat(9)}]`
  for (const text of [bomb, 'x'.repeat(300_000), '', 'null', '%YAML 9.9\n---\n', '!!js/function x']) {
    expect(untrustedAccess(text, 'Secret a', clock).ok).toBe(false)
  }
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.jsonValue().map((value) => config({ token: value })),
      ),
      (text) => {
        const result = untrustedAccess(text, 'Secret a', clock)
        expect(result.ok || result.message.includes('Secret a')).toBe(true)
      },
    ),
  )
})
