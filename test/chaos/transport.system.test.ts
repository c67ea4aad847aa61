import { createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ClusterAccess } from '../../src/runtime/kube/access.ts'
import { KubeClient } from '../../src/runtime/kube/client.ts'
import { ApiError } from '../../src/runtime/kube/error.ts'
import { FenceClosed } from '../../src/runtime/kube/fence.ts'
import { type ConfigMap, configMap } from '../../src/runtime/kube/kinds.ts'
import { Transport } from '../../src/runtime/kube/transport.ts'
import { systemClock } from '../../src/runtime/time/clock.ts'
import { eventually } from './follow.ts'
import { ScriptedServer } from './scripted-server.ts'

let server: ScriptedServer
let client: KubeClient
const ref = { namespace: 'default', name: 'a' }
const object: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: ref, data: {} }

function clientOf(
  access: ClusterAccess,
  options: { callTimeoutMs?: number; longestAnswerBytes?: number } = {},
): KubeClient {
  const transport = new Transport(access, { clock: systemClock, random: () => 0, userAgent: 'test', ...options })
  return new KubeClient(transport, 'test')
}

async function failure(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(
    () => new Error('it worked'),
    (reason: unknown) => reason,
  )
  if (error instanceof ApiError) return error
  throw error
}

beforeEach(async () => {
  server = await new ScriptedServer().start()
  client = clientOf(server.access)
  server.put('a')
})
afterEach(async () => {
  await client.transport.close()
  await server[Symbol.asyncDispose]()
})

describe('connections', () => {
  test('a hundred calls in a row share one or two', async () => {
    for (let i = 0; i < 100; i++) await client.get(configMap, ref)
    expect(server.connections).toBeLessThanOrEqual(2)
  })

  test('a thousand calls at once open 24 connections at most, and any number of watches does not stand in their way', async () => {
    const watching = new AbortController()
    const options = { resourceVersion: '1', timeoutSeconds: 60, idleMs: 60_000, signal: watching.signal }
    const watches = Array.from({ length: 150 }, async () => {
      for await (const _ of client.watch(configMap, options)) void _
    })
    const ended = Promise.allSettled(watches)
    await eventually(
      () => server.openWatches === 150,
      () => `${server.openWatches} watches`,
    )
    const answers = await Promise.all(Array.from({ length: 1000 }, () => client.get(configMap, ref)))
    expect(answers.every((answer) => answer?.metadata.name === 'a')).toBe(true)
    expect(server.connections).toBeLessThanOrEqual(150 + 24)
    watching.abort()
    await ended
  })

  test('one that the server had closed meanwhile is replaced without an error', async () => {
    await client.get(configMap, ref)
    server.fail('get', { type: 'reset' })
    expect(await client.get(configMap, ref)).toMatchObject({ metadata: { name: 'a' } })
    expect(client.transport.stats().retries).toBe(1)
  })

  test('new ones are made when the credentials inside TLS changed, and only then', async () => {
    let tls = { verify: true }
    const changing = clientOf({ ...server.access, credentials: () => Promise.resolve({ headers: {}, tls }) })
    for (let i = 0; i < 10; i++) await changing.get(configMap, ref)
    const before = server.connections
    await changing.get(configMap, ref)
    expect(server.connections).toBe(before)
    tls = { verify: true }
    await changing.get(configMap, ref)
    expect(server.connections).toBe(before + 1)
    await changing.transport.close()
  })
})

describe('answers', () => {
  test('429 is waited out, for a create too', async () => {
    server.fail('write', { type: 'answer', status: 429, headers: { 'retry-after': '0' } })
    expect(await client.create(configMap, object)).toMatchObject({ kind: 'ConfigMap' })
    expect(server.requests.map((request) => request.method)).toEqual(['POST', 'POST'])
  })

  test('a create is not sent twice when its answer is lost; an apply is', async () => {
    server.fail('write', { type: 'lose-answer' })
    expect(await failure(client.create(configMap, object))).toMatchObject({ status: 0, reason: 'Unreachable' })
    expect(server.requests).toHaveLength(1)
    server.fail('write', { type: 'lose-answer' })
    await client.apply(configMap, object, 'uid')
    expect(server.requests).toHaveLength(3)
  })

  test('a refused token is renewed once', async () => {
    const asked: boolean[] = []
    const credentials = (renew = false) => {
      asked.push(renew)
      return server.access.credentials()
    }
    const renewing = clientOf({ ...server.access, credentials })
    server.fail('get', { type: 'answer', status: 401 })
    await renewing.get(configMap, ref)
    expect(asked).toEqual([false, true])
    server.fail('get', { type: 'answer', status: 401 }, { type: 'answer', status: 401 })
    expect(await failure(renewing.get(configMap, ref))).toMatchObject({ status: 401, reason: 'Unauthorized' })
    await renewing.transport.close()
  })

  test.each([
    [
      'truncated JSON',
      { type: 'answer', status: 200, body: '{"apiVersion":"v1","kind":"Conf' },
      'not JSON',
      'Malformed',
    ],
    ['HTML', { type: 'answer', status: 200, body: '<html>login</html>' }, 'the body begins: "<html>login', 'Malformed'],
    ['another object', { type: 'answer', status: 200, body: '{"kind":"Pod"}' }, 'not a ConfigMap', 'Malformed'],
    ['a broken body', { type: 'break', body: '{"apiVersion"' }, 'broke after 13 bytes', 'Malformed'],
    ['an HTML error', { type: 'answer', status: 502, body: '<h1>Bad Gateway' }, '502 ServerError', 'ServerError'],
    ['an empty error', { type: 'answer', status: 500 }, '500 ServerError', 'ServerError'],
    ['a redirect', { type: 'answer', status: 302, headers: { location: '/elsewhere' } }, '302 Failed', 'Failed'],
  ] as const)('%s is an error that names the call', async (_name, fault, text, reason) => {
    server.fail('get', fault)
    const error = await failure(client.get(configMap, ref))
    expect(error.message).toContain(`GET ${server.access.server}/api/v1/namespaces/default/configmaps/a`)
    expect(error.message).toContain(text)
    expect(error.reason).toBe(reason)
  })

  test('an answer without end is cut off', async () => {
    const small = clientOf(server.access, { longestAnswerBytes: 1000 })
    server.fail('get', { type: 'answer', status: 200, body: `"${'x'.repeat(5000)}"` })
    expect((await failure(small.get(configMap, ref))).message).toContain('longer than 1000 bytes')
    await small.transport.close()
  })

  test('silence is an error after a while', async () => {
    const impatient = clientOf(server.access, { callTimeoutMs: 50 })
    server.fail('get', { type: 'hang' })
    expect(await failure(impatient.get(configMap, ref))).toMatchObject({ reason: 'Timeout', status: 0 })
    server.fail('watch', { type: 'hang' })
    const watch = impatient.watch(configMap, { resourceVersion: '1', timeoutSeconds: 60, idleMs: 60_000 })
    expect(await failure(watch.next())).toMatchObject({ reason: 'Timeout' })
    await impatient.transport.close()
  })

  test('who gives up is told so', async () => {
    server.fail('get', { type: 'hang' })
    const controller = new AbortController()
    const answer = client.get(configMap, ref, controller.signal)
    controller.abort(new Error('reconcile took longer than 60 s'))
    expect(await failure(answer)).toMatchObject({
      reason: 'Aborted',
      message: expect.stringContaining('longer than 60 s'),
    })
  })

  test('nobody there', async () => {
    const nobody = clientOf({ ...server.access, server: await unusedUrl() })
    const error = await failure(nobody.get(configMap, ref))
    expect(error).toMatchObject({ status: 0, reason: 'Unreachable', message: expect.stringContaining('ECONNREFUSED') })
    await nobody.transport.close()
  })

  test('certificates that are none', async () => {
    const tls = { ca: 'no PEM', cert: 'no PEM', key: 'no PEM', verify: true }
    const url = server.access.server.replace('http:', 'https:')
    const broken = clientOf({ ...server.access, server: url, credentials: () => Promise.resolve({ headers: {}, tls }) })
    expect(await failure(broken.get(configMap, ref))).toMatchObject({ reason: 'Unreachable' })
    await broken.transport.close()
  })
})

describe('the fence', () => {
  test('lets reads through and stops every write', async () => {
    const fenced = client.fencedBy(() => {
      throw new FenceClosed('not the leader')
    })
    await fenced.get(configMap, ref)
    const writes = [
      () => fenced.create(configMap, object),
      () => fenced.applyNew(configMap, object),
      () => fenced.apply(configMap, object, 'u'),
      () => fenced.applyStatus(configMap, object, 'u'),
      () => fenced.replace(configMap, object),
      () => fenced.mergePatch(configMap, ref, {}),
      () => fenced.delete(configMap, ref, 'u'),
    ]
    for (const write of writes) await expect(write()).rejects.toThrow(FenceClosed)
    expect(server.requests.map((request) => request.method)).toEqual(['GET'])
  })

  test('is asked when the request goes out, not when it was made', async () => {
    let isOpen = true
    const fenced = client.fencedBy(() => {
      if (!isOpen) throw new FenceClosed('not the leader')
    })
    const write = fenced.create(configMap, object)
    // Everything that can happen without the network has happened: the request waits for its connection.
    for (let i = 0; i < 100; i++) await Promise.resolve()
    isOpen = false
    await expect(write).rejects.toThrow(FenceClosed)
    expect(server.requests).toHaveLength(0)
  })

  test('is asked again for every retry', async () => {
    let isOpen = true
    const fenced = client.fencedBy(() => {
      if (!isOpen) throw new FenceClosed('not the leader')
    })
    server.fail('write', { type: 'answer', status: 429, headers: { 'retry-after': '1' } })
    const write = fenced.create(configMap, object)
    await eventually(
      () => server.requests.length === 1,
      () => 'nothing was sent',
    )
    isOpen = false
    await expect(write).rejects.toThrow(FenceClosed)
    expect(server.requests).toHaveLength(1)
  })
})

async function unusedUrl(): Promise<string> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}
