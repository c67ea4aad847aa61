import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FakeClock } from '../time/fake-clock.ts'
import type { ClusterAccess } from './access.ts'
import { type FindAccessOptions, findAccess } from './kubeconfig.ts'

let home: string
const clock = new FakeClock()

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'oooi-kubeconfig-'))
})
afterEach(() => rm(home, { recursive: true }))

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** A kubeconfig with one of everything, all of the same name. */
function config(name: string, user: object = { token: `token-of-${name}` }, cluster: object = {}): object {
  return {
    'current-context': name,
    clusters: [{ name, cluster: { server: `https://${name}.example:6443`, ...cluster } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: `ns-of-${name}` } }],
    users: [{ name, user }],
  }
}

async function write(path: string, content: object | string): Promise<string> {
  const file = join(home, path)
  await mkdir(join(file, '..'), { recursive: true })
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

function find(options: Partial<FindAccessOptions> = {}): Promise<ClusterAccess> {
  const nowhere = join(home, 'no-service-account')
  return findAccess({ environment: { HOME: home }, clock, serviceAccountDirectory: nowhere, ...options })
}

describe('where it is looked for', () => {
  test('--kubeconfig is the only file that counts, and it has to be there', async () => {
    await write('.kube/config', config('home'))
    const path = await write('other', config('other'))
    expect(await find({ path })).toMatchObject({
      server: 'https://other.example:6443',
      namespace: 'ns-of-other',
      origin: `context 'other' of ${path}`,
    })
    await expect(find({ path: join(home, 'missing') })).rejects.toThrow(
      `The kubeconfig ${join(home, 'missing')} cannot be read: there is no such file.`,
    )
  })

  test('KUBECONFIG is a list: missing files are skipped, the first of equals counts', async () => {
    const first = await write('first', { ...config('one'), 'current-context': '' })
    const second = await write('second', {
      ...config('two'),
      clusters: [
        { name: 'two', cluster: { server: 'https://two.example' } },
        { name: 'one', cluster: { server: 'https://not-this-one.example' } },
      ],
    })
    const KUBECONFIG = ['', join(home, 'missing'), first, second].join(':')
    expect(await find({ environment: { HOME: home, KUBECONFIG } })).toMatchObject({ server: 'https://two.example' })
    const one = await find({ environment: { HOME: home, KUBECONFIG }, context: 'one' })
    expect(one).toMatchObject({ server: 'https://one.example:6443' })
  })

  test('~/.kube/config', async () => {
    await write('.kube/config', config('home'))
    expect(await find()).toMatchObject({ server: 'https://home.example:6443' })
  })

  test('the service account of a pod', async () => {
    await write('sa/namespace', 'system\n')
    await write('sa/token', 'first')
    await write('sa/ca.crt', 'the authority')
    const environment = { HOME: home, KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' }
    const access = await find({ environment, serviceAccountDirectory: join(home, 'sa') })
    expect(access).toMatchObject({ server: 'https://[fd00::1]:443', namespace: 'system' })
    expect(await access.credentials()).toEqual({
      headers: { authorization: 'Bearer first' },
      tls: { ca: 'the authority', verify: true },
    })
  })

  test('nothing at all is said in one sentence, and localhost is not guessed', async () => {
    await expect(find()).rejects.toThrow(
      `No Kubernetes cluster is configured: KUBECONFIG is not set, ${home}/.kube/config does not exist, ` +
        'this is not a pod with a service account. Set KUBECONFIG or give --kubeconfig.',
    )
    const empty = await write('empty', '')
    await expect(find({ environment: { KUBECONFIG: empty } })).rejects.toThrow(`${empty} names no cluster`)
    await expect(find({ environment: {} })).rejects.toThrow('HOME is not set')
  })
})

describe('what may be wrong with it', () => {
  test.each([
    ['not YAML', '{{', 'is not YAML'],
    ['a list', '[]', 'the file: Invalid input'],
    ['no server', { clusters: [{ name: 'a', cluster: {} }] }, 'clusters.0.cluster.server: must be a URL'],
    ['an odd server', { clusters: [{ name: 'a', cluster: { server: 'ftp://a' } }] }, 'must be a URL'],
    [
      'no current context',
      { ...config('a'), 'current-context': undefined },
      'no current-context; its contexts are: a.',
    ],
    ['another context', { ...config('a'), 'current-context': 'b' }, "no context 'b'; its contexts are: a."],
    ['no such cluster', { ...config('a'), clusters: [] }, "names cluster 'a', which is not there"],
    ['no such user', { ...config('a'), users: [] }, "names user 'a', which is not there"],
  ])('%s', async (_name, content, message) => {
    const path = await write('.kube/config', content)
    await expect(find()).rejects.toThrow(message)
    await expect(find()).rejects.toThrow(path)
  })
})

describe('credentials', () => {
  test('inside the file', async () => {
    const user = { 'client-certificate-data': base64('cert'), 'client-key-data': base64('key') }
    const cluster = { 'certificate-authority-data': base64('ca'), 'tls-server-name': 'name' }
    await write('.kube/config', config('a', user, cluster))
    expect(await (await find()).credentials()).toEqual({
      headers: {},
      tls: { ca: 'ca', cert: 'cert', key: 'key', serverName: 'name', verify: true },
    })
  })

  test('in files that are meant from the directory of the kubeconfig', async () => {
    await write('.kube/pki/cert', 'cert')
    await write('.kube/key', 'key')
    const user = { 'client-certificate': 'pki/cert', 'client-key': join(home, '.kube/key') }
    await write('.kube/config', config('a', user, { 'insecure-skip-tls-verify': true }))
    expect((await (await find()).credentials()).tls).toMatchObject({ cert: 'cert', key: 'key', verify: false })
  })

  test('a file that is not there is named', async () => {
    await write('.kube/config', config('a', { tokenFile: 'missing' }))
    const access = await find()
    await expect(access.credentials()).rejects.toThrow(join(home, '.kube/missing'))
  })

  test('password and impersonation', async () => {
    await write('.kube/config', config('a', { username: 'me', password: 'pw', as: 'you', 'as-groups': ['g', 'h'] }))
    expect((await (await find()).credentials()).headers).toEqual({
      authorization: `Basic ${base64('me:pw')}`,
      'impersonate-user': 'you',
      'impersonate-group': ['g', 'h'],
    })
  })

  test('a token in a file is read again after a minute, or at once when it was refused; TLS stays the same', async () => {
    const tokenFile = await write('token', 'one')
    await write('.kube/config', config('a', { tokenFile }))
    const access = await find()
    const bearer = async (renew?: boolean) => (await access.credentials(renew)).headers.authorization
    const { tls } = await access.credentials()
    await writeFile(tokenFile, 'two\n')
    expect(await bearer()).toBe('Bearer one')
    await clock.advance(60_000)
    expect(await bearer()).toBe('Bearer two')
    await writeFile(tokenFile, 'three')
    expect(await bearer(true)).toBe('Bearer three')
    expect((await access.credentials()).tls).toBe(tls)
    await rm(tokenFile)
    await clock.advance(60_000)
    expect(await bearer()).toBe('Bearer three')
  })

  test('from a plugin', async () => {
    const plugin = await write(
      'plugin',
      '#!/bin/sh\n' +
        'test -n "$KUBERNETES_EXEC_INFO" || exit 1\n' +
        `echo '{"kind":"ExecCredential","status":{"token":"'$1'"}}'\n`,
    )
    await chmod(plugin, 0o755)
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: plugin, args: ['minted'] }
    await write('.kube/config', config('a', { exec }, { 'certificate-authority-data': base64('ca') }))
    const credentials = await (await find()).credentials()
    expect(credentials).toMatchObject({ headers: { Authorization: 'Bearer minted' }, tls: { ca: 'ca' } })
  })
})
