import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readHostedCluster } from '../../core/discover/hostedcluster.ts'
import { KubeClient } from '../../runtime/kube/client.ts'
import { Transport } from '../../runtime/kube/transport.ts'
import { createLogger } from '../../runtime/observe/log.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { HostedClients } from './clients.ts'
import type { Located } from './locate.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

function kubeconfig(token: string): string {
  return JSON.stringify({
    'current-context': 'a',
    clusters: [{ name: 'a', cluster: { server: 'https://a', 'certificate-authority-data': base64('ca') } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    users: [{ name: 'a', user: { token } }],
  })
}

/** The management cluster as far as it is asked: one Secret for each path. */
const secrets = new Map<string, string>()
const asked: string[] = []
const server = createServer(({ url = '' }, response) => {
  asked.push(url)
  const [, namespace, name] = /namespaces\/([^/]+)\/secrets\/([^/?]+)/.exec(url) ?? []
  const text = secrets.get(`${namespace}/${name}`)
  const found = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, uid: 'u', resourceVersion: '1' },
    data: { kubeconfig: base64(text ?? '') },
  }
  const missing = { kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404, details: { name } }
  response.writeHead(text === undefined ? 404 : 200).end(JSON.stringify(text === undefined ? missing : found))
})

let management: Transport

function clientsWith(publishedKubeconfig: boolean): HostedClients {
  return new HostedClients({
    writer: new KubeClient(management, 'oooi'),
    clock: systemClock,
    random: Math.random,
    log: createLogger('silent', { write: () => undefined }),
    settings: { publishedKubeconfig },
  })
}

function located(name: string, port = 6443): Located {
  const object = {
    apiVersion: 'hypershift.openshift.io/v1beta1',
    kind: 'HostedCluster',
    metadata: { name, namespace: 'clusters' },
    status: { kubeconfig: { name: `${name}-admin-kubeconfig` } },
  }
  const controlPlaneNamespace = `clusters-${name}`
  const pin = { host: `kube-apiserver.${controlPlaneNamespace}.svc`, port }
  return { hostedCluster: readHostedCluster(object), object, controlPlaneNamespace, pin }
}

beforeEach(async () => {
  secrets.clear()
  asked.length = 0
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const credentials = async () => ({ headers: {}, tls: { verify: true } })
  const access = { server: `http://127.0.0.1:${port}`, namespace: 'default', origin: 'test', credentials }
  management = new Transport(access, { clock: systemClock, random: Math.random, userAgent: 'test' })
})
afterEach(() => management.close())

const own = 'clusters-a/service-network-admin-kubeconfig'

test('all who mean the same cluster share a client, which goes with the last of them', async () => {
  secrets.set(own, kubeconfig('one'))
  const clients = clientsWith(false)
  const first = await clients.use('Infra a', located('a'))
  expect(await clients.use('Infra b', located('a'))).toBe(first)
  await clients.release('Infra a')
  expect(await clients.use('Infra b', located('a'))).toBe(first)
  await clients.release('Infra b')
  expect(await clients.use('Infra b', located('a'))).not.toBe(first)
  await clients.stop()
})

test('another address is another client, and who means another cluster leaves the first', async () => {
  secrets.set(own, kubeconfig('one')).set('clusters-b/service-network-admin-kubeconfig', kubeconfig('two'))
  const clients = clientsWith(false)
  const first = await clients.use('Infra a', located('a'))
  const moved = await clients.use('Infra a', located('a', 7443))
  expect(moved).not.toBe(first)
  expect(moved.transport.access.server).toBe('https://kube-apiserver.clusters-a.svc:7443')
  await clients.use('Infra a', located('b'))
  expect(await clients.use('Infra b', located('a', 7443))).not.toBe(moved)
  await clients.stop()
})

test('every use reads the kubeconfig anew', async () => {
  const clients = clientsWith(false)
  const bearer = async () => {
    const { transport } = await clients.use('Infra a', located('a'))
    return (await transport.access.credentials()).headers.authorization
  }
  secrets.set(own, kubeconfig('one'))
  expect(await bearer()).toBe('Bearer one')
  secrets.set(own, kubeconfig('two'))
  expect(await bearer()).toBe('Bearer two')
  secrets.set(own, 'exec: me')
  await expect(bearer()).rejects.toMatchObject({ name: 'KubeconfigError' })
  await clients.stop()
})

test('the published kubeconfig counts only where that was wanted, and never for the address', async () => {
  secrets.set('clusters/a-admin-kubeconfig', kubeconfig('published'))
  const strict = clientsWith(false)
  await expect(strict.use('Infra a', located('a'))).rejects.toMatchObject({ name: 'KubeconfigMissing' })
  expect(asked.filter((url) => url.includes('/clusters/'))).toEqual([])
  const lenient = clientsWith(true)
  const { transport } = await lenient.use('Infra a', located('a'))
  expect((await transport.access.credentials()).headers.authorization).toBe('Bearer published')
  expect(transport.access.server).toBe('https://kube-apiserver.clusters-a.svc:6443')
  await lenient.stop()
})
