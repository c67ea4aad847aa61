import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FakeClock } from '../time/fake-clock.ts'
import { pinnedAccess } from './pinned-access.ts'

const pin = { host: 'kube-apiserver.clusters-c1.svc', port: 6443 }
const base64 = (text: string) => Buffer.from(text).toString('base64')

function kubeconfig(user: object, cluster: object = {}): string {
  return JSON.stringify({
    'current-context': 'a',
    clusters: [
      {
        name: 'a',
        cluster: { server: 'https://elsewhere.example:1', 'certificate-authority-data': base64('ca'), ...cluster },
      },
    ],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    users: [{ name: 'a', user }],
  })
}

function accessBy(read: () => string, clock = new FakeClock()) {
  return pinnedAccess({ pin, where: 'Secret a/b', read: async () => read(), clock })
}

test('neither address nor name of the server come from the kubeconfig', async () => {
  const access = accessBy(() => kubeconfig({ token: 't' }, { 'tls-server-name': 'evil.example' }))
  expect(access.server).toBe('https://kube-apiserver.clusters-c1.svc:6443')
  expect(await access.credentials()).toEqual({
    headers: { authorization: 'Bearer t' },
    tls: { ca: 'ca', cert: undefined, key: undefined, serverName: undefined, verify: true },
  })
})

test('without an authority of its own there is no access', async () => {
  const access = accessBy(() => kubeconfig({ token: 't' }, { 'certificate-authority-data': '' }))
  await expect(access.credentials()).rejects.toThrow('Secret a/b has no certificate-authority-data')
})

test('another kubeconfig is noticed when the old one is refused, and after a while', async () => {
  const clock = new FakeClock()
  let token = 'one'
  const access = accessBy(() => kubeconfig({ token }), clock)
  const bearer = async (renew?: boolean) => (await access.credentials(renew)).headers.authorization
  expect(await bearer()).toBe('Bearer one')
  token = 'two'
  expect(await bearer()).toBe('Bearer one')
  expect(await bearer(true)).toBe('Bearer two')
  token = 'three'
  await clock.advance(61_000)
  expect(await bearer()).toBe('Bearer three')
})

test('the same certificates keep the connections, others give new ones', async () => {
  let certificate = 'one'
  const access = accessBy(() =>
    kubeconfig({ 'client-certificate-data': base64(certificate), 'client-key-data': base64('k') }),
  )
  const { tls } = await access.credentials()
  expect((await access.credentials(true)).tls).toBe(tls)
  certificate = 'two'
  expect((await access.credentials(true)).tls).toMatchObject({ cert: 'two' })
})

test('a hostile kubeconfig gives a sentence that names it, or access to the pinned server and no other', async () => {
  const fields = ['token', 'tokenFile', 'exec', 'auth-provider', 'client-certificate', 'client-key', 'as', 'username']
  const user = fc.dictionary(fc.constantFrom(...fields), fc.oneof(fc.string(), fc.constant({ command: '/bin/sh' })))
  const clusterFields = ['server', 'proxy-url', 'insecure-skip-tls-verify', 'certificate-authority', 'tls-server-name']
  const cluster = fc.dictionary(
    fc.constantFrom(...clusterFields),
    fc.oneof(fc.constant('https://evil.example'), fc.boolean(), fc.string()),
  )
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    fc.tuple(user, cluster).map(([one, other]) => kubeconfig(one, other)),
  )
  await fc.assert(
    fc.asyncProperty(text, async (written) => {
      const access = accessBy(() => written)
      expect(access).toMatchObject({ server: 'https://kube-apiserver.clusters-c1.svc:6443' })
      expect(access.proxyUrl).toBeUndefined()
      try {
        const { headers, tls } = await access.credentials()
        expect(Object.keys(headers).every((name) => name === 'authorization')).toBe(true)
        expect(tls).toMatchObject({ verify: true, serverName: undefined, ca: 'ca' })
      } catch (error) {
        expect(error).toMatchObject({ name: 'KubeconfigError', message: expect.stringContaining('Secret a/b') })
      }
    }),
  )
})
