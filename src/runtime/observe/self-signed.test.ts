import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:tls'
import { expect, test } from 'vitest'
import { selfSigned } from './self-signed.ts'

const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5)

test('it is a certificate of that name, valid from now on, signed by its own key', () => {
  const certificate = new X509Certificate(selfSigned('metrics.oooi-system.svc', nowMs).cert)
  expect(certificate.subject).toBe('CN=metrics.oooi-system.svc')
  expect(certificate.subjectAltName).toBe('DNS:metrics.oooi-system.svc')
  expect(certificate.validFromDate.getTime()).toBe(nowMs)
  expect(certificate.validToDate.getUTCFullYear()).toBe(2036)
  expect(certificate.verify(certificate.publicKey)).toBe(true)
})

test('a long name fits too', () => {
  const name = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.svc`
  expect(new X509Certificate(selfSigned(name, nowMs).cert).subjectAltName).toBe(`DNS:${name}`)
})

test('who trusts it gets through to the server that has the key', async () => {
  const { key, cert } = selfSigned('localhost', Date.now() - 1000)
  const server = createServer({ key, cert }, (socket) => socket.end('hello'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: cert })
  const [text] = await once(client, 'data')
  expect(String(text)).toBe('hello')
  server.close()
})
