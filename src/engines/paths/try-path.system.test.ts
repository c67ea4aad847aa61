import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer as createSilentServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { expect, test } from 'vitest'
import { dnsServerSchema } from '../../api/dnsserver.ts'
import { apiVersion } from '../../api/meta.ts'
import { certificateFile, keyFile, makeCertificates } from '../../lab/controlplane/certificates.ts'
import { until } from '../../lab/testing.ts'
import { createLogger } from '../../runtime/observe/log.ts'
import { Metrics } from '../../runtime/observe/metrics.ts'
import { createChosenDnsEngine } from '../chosen-dns.ts'
import { closeServer, freePort, listenOnLoopback } from '../proxy/testing/loopback.ts'
import { backendTo, ProxyFixture, vlanAddress } from '../proxy/testing/proxy-fixture.ts'
import { tryPath } from './try-path.ts'

const context = {
  log: createLogger('silent', { write: () => undefined }),
  metrics: new Metrics(),
  now: Date.now,
  podAddresses: [],
}

const goesOn = new AbortController().signal

test('our DNS, our proxy and a real TLS server: whichever of them is wrong is named', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'oooi-paths-'))
  await makeCertificates(directory, [{ name: 'api', subjectAltNames: ['DNS:api.example.com'] }])
  const [key, cert] = await Promise.all(
    [keyFile('api'), certificateFile('api')].map((it) => readFile(join(directory, it))),
  )
  await rm(directory, { recursive: true })
  const server = createServer({ key, cert })
  const targetPort = await listenOnLoopback(server)
  const [port, deadPort, dnsPort] = [await freePort(), await freePort(), await freePort()]
  await using proxy = new ProxyFixture()
  await proxy.apply([
    backendTo('api', port, targetPort, { alternateHostnames: ['other.example.com'] }),
    backendTo('down', port, deadPort),
  ])
  const names = ['api', 'other', 'down', 'unrouted']
  const paths = [...names, 'unknown'].map((name) => ({ hostname: `${name}.example.com`, port }))
  const dns = createChosenDnsEngine({ ...context, stateDir: directory })
  const applied = await dns.apply(
    dnsServerSchema.parse({
      apiVersion,
      kind: 'DNSServer',
      metadata: { name: 'dns' },
      spec: {
        hostedClusterDomain: 'example.com',
        networkConfig: { serverIP: '127.0.0.1', proxyIP: vlanAddress, dnsPort },
        staticEntries: names.map((name) => ({ hostname: `${name}.example.com`, ip: vlanAddress })),
        forwarding: { enabled: false },
      },
    }),
  )
  expect(applied).toMatchObject({ ok: true })
  const found = await Promise.all(
    paths.map((path) => tryPath(path, { address: '127.0.0.1', port: dnsPort }, Date.now(), goesOn)),
  )
  const at = `127.0.0.1:${port}`
  expect(found).toEqual([
    undefined,
    `the certificate at ${at} is not for it (DNS:api.example.com)`,
    expect.stringContaining(`no TLS at ${at}`),
    expect.stringContaining(`no TLS at ${at}`),
    'DNS does not answer for it (ENOTFOUND)',
  ])
  const [good] = paths
  if (good === undefined) throw new Error('no path')
  const inTenYears = Date.now() + 10 * 365 * 86_400_000
  const late = await tryPath(good, { address: '127.0.0.1', port: dnsPort }, inTenYears, goesOn)
  expect(late).toContain('was valid until')
  // Nobody waits for a probe that hangs, least of all the proxy that drains.
  const silent = createSilentServer((socket) => socket.on('error', () => {}).resume())
  const silentPort = await listenOnLoopback(silent)
  await proxy.apply([backendTo('api', port, silentPort)])
  const stop = new AbortController()
  const hanging = tryPath(good, { address: '127.0.0.1', port: dnsPort }, Date.now(), stop.signal)
  await once(silent, 'connection')
  stop.abort()
  expect(await hanging).toContain('it is not wanted any more')
  await closeServer(silent)
  await dns.stop(0)
  expect(await tryPath(good, { address: '127.0.0.1', port: dnsPort }, Date.now(), goesOn)).toContain(
    'DNS does not answer',
  )
  await until('no connection is left', () => (proxy.engine.status().openConnections === 0 ? true : undefined))
  await closeServer(server)
})
