import { expect, test } from 'vitest'
import { configMap } from '../../src/runtime/kube/kinds.ts'
import { eventually, follow } from './follow.ts'

test('lists, then follows', async () => {
  await using follower = await follow()
  const { server, informer, told, until } = follower
  server.put('a', { v: '1' })
  informer.start()
  await until('a=1')
  await eventually(
    () => server.openWatches === 1,
    () => 'no watch',
  )
  server.put('b', { v: '1' })
  server.put('a', { v: '2' })
  await until('a=2', 'b=1')
  server.remove('b')
  await until('a=2')
  expect(told).toEqual(['added a', 'added b', 'updated a', 'deleted b'])
  expect(informer.stats()).toMatchObject({ lists: 1, watches: 1, events: 3, failures: 0 })
})

test('lists in pages', async () => {
  await using follower = await follow()
  const { server, client } = follower
  for (let i = 0; i < 7; i++) server.put(`o${i}`)
  const { items } = await client.list(configMap, { pageSize: 3 })
  expect(items).toHaveLength(7)
  expect(items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' })
  expect(server.requests.map((request) => request.query.get('continue'))).toEqual([null, '3', '6'])
})

test.each(['end', 'reset'] as const)(
  'a watch that is ended by %s goes on where it was, without a list',
  async (how) => {
    await using follower = await follow()
    const { server, informer, told, until } = follower
    server.put('a', { v: '1' })
    informer.start()
    await eventually(
      () => server.openWatches === 1,
      () => 'no watch',
    )
    server.endWatches(how)
    server.put('a', { v: '2' })
    server.remove('a')
    server.put('c', { v: '3' })
    await until('c=3')
    expect(told).toEqual(['added a', 'updated a', 'deleted a', 'added c'])
    expect(informer.stats().lists).toBe(1)
  },
)

test('a connection on which everything vanishes is noticed and replaced', async () => {
  await using follower = await follow({ idleMs: 25_000 })
  const { server, informer, until } = follower
  informer.start()
  await eventually(
    () => server.openWatches === 1,
    () => 'no watch',
  )
  server.blackHoleWatches()
  server.put('a', { v: '1' })
  await until('a=1')
  expect(informer.stats()).toMatchObject({ idle: expect.toSatisfy((times: number) => times > 0), lists: 1 })
})

test('bookmarks keep a quiet watch alive and move it on', async () => {
  await using follower = await follow()
  const { server, informer, until } = follower
  informer.start()
  await eventually(
    () => server.openWatches === 1,
    () => 'no watch',
  )
  server.put('b', { v: '1' })
  await until('b=1')
  for (let i = 0; i < 4; i++) {
    // A third of the silence that is allowed.
    await new Promise((resolve) => setTimeout(resolve, 1000))
    server.bookmark()
  }
  server.compact()
  server.endWatches('end')
  server.put('c', { v: '2' })
  await until('b=1', 'c=2')
  expect(informer.stats()).toMatchObject({ idle: 0, lists: 1, expired: 0, bookmarks: 4 })
})

test.each(['status', 'event'] as const)(
  'a history that is gone (410 as %s) is made up for by a list',
  async (goneAs) => {
    await using follower = await follow({ idleMs: 25_000 })
    const { server, informer, told, until } = follower
    server.goneAs = goneAs
    server.put('a', { v: '1' })
    server.put('b', { v: '1' })
    server.put('c', { v: '1' }, 'first')
    informer.start()
    await eventually(
      () => server.openWatches === 1,
      () => 'no watch',
    )
    server.blackHoleWatches()
    server.remove('a')
    server.put('b', { v: '2' })
    server.remove('c')
    server.put('c', { v: '1' }, 'second')
    server.put('d', { v: '1' })
    server.compact()
    server.put('e', { v: '1' })
    await until('b=2', 'c=1', 'd=1', 'e=1')
    expect(informer.stats()).toMatchObject({ lists: 2, expired: 1 })
    expect(told.slice(3).sort()).toEqual(['added c', 'added d', 'added e', 'deleted a', 'deleted c', 'updated b'])
  },
)

test('what is told twice, late or out of order does not turn back time', async () => {
  await using follower = await follow()
  const { server, informer, told, until } = follower
  const first = server.put('a', { v: '1' })
  informer.start()
  await eventually(
    () => server.openWatches === 1,
    () => 'no watch',
  )
  const second = server.put('a', { v: '2' })
  server.sayEvent('MODIFIED', second)
  server.sayEvent('MODIFIED', first)
  server.sayEvent('ADDED', first)
  server.sayEvent('DELETED', { ...first, metadata: { ...first.metadata, uid: 'an-earlier-one' } })
  server.put('b', { v: '1' })
  await until('a=2', 'b=1')
  expect(told).toEqual(['added a', 'updated a', 'added b'])
  expect(informer.stats()).toMatchObject({ duplicates: 1, late: 3, lists: 1 })
})

const rubbish: Record<string, string> = {
  'not JSON': '<html>proxy error</html>\n',
  'a cut event': '{"type":"ADDED","object":{"kind":"Conf\n',
  'another kind': `${JSON.stringify({ type: 'ADDED', object: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } } })}\n`,
  'wrong types': `${JSON.stringify({ type: 'MODIFIED', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 5 } } })}\n`,
  'an event of no type': '{"type":"RENAMED","object":{}}\n',
  'a bookmark without version': '{"type":"BOOKMARK","object":{}}\n',
  'an error without status': '{"type":"ERROR"}\n',
  'an array': '[1,2,3]\n',
  null: 'null\n',
}

test.each(Object.entries(rubbish))('%s in the stream is survived', async (_name, line) => {
  await using follower = await follow()
  const { server, informer, until } = follower
  server.put('a', { v: '1' })
  informer.start()
  await eventually(
    () => server.openWatches === 1,
    () => 'no watch',
  )
  server.say(line)
  await eventually(
    () => informer.stats().failures === 1,
    () => JSON.stringify(informer.stats()),
  )
  expect(informer.lastError?.message).toContain('/api/v1/configmaps?')
  server.put('b', { v: '1' })
  await until('a=1', 'b=1')
})

test('a bad day: every list and watch fails in another way, and in the end all is there', async () => {
  await using follower = await follow({ callTimeoutMs: 30_000 })
  const { server, informer, until } = follower
  server.put('a', { v: '1' })
  server.fail(
    'list',
    { type: 'reset' },
    { type: 'reset' },
    { type: 'answer', status: 429, headers: { 'retry-after': '1' } },
    { type: 'answer', status: 500, body: '{"kind":"Status","message":"etcd is gone"}' },
    { type: 'answer', status: 503, body: 'upstream connect error' },
    { type: 'answer', status: 200, body: '{"kind":"ConfigMapList","items":[{"metadata":{"name":"a"' },
    { type: 'answer', status: 200, body: '<html>login</html>', headers: { 'content-type': 'text/html' } },
    { type: 'answer', status: 200, body: '{"items":null,"metadata":{}}' },
    { type: 'answer', status: 200, body: '{"items":[7],"metadata":{"resourceVersion":"1"}}' },
    { type: 'answer', status: 401, body: '' },
    { type: 'answer', status: 403, body: '{"kind":"Status","reason":"Forbidden","message":"no"}' },
    { type: 'break', body: '{"kind":"ConfigMapList","items":[' },
    { type: 'hang' },
    { type: 'slow', delayMs: 100 },
  )
  server.fail(
    'watch',
    { type: 'reset' },
    { type: 'reset' },
    { type: 'answer', status: 200, body: '' },
    { type: 'answer', status: 500 },
    { type: 'break', body: '{"type":"ADDED"' },
    { type: 'hang' },
  )
  informer.start()
  await until('a=1')
  server.put('b', { v: '2' })
  await until('a=1', 'b=2')
  await eventually(
    () => server.openWatches === 1,
    () => 'no watch',
  )
  expect(informer.stats().handlerFailures).toBe(0)
}, 60_000)

test('a handler, a transform and an index function that throw break nothing', async () => {
  const boom = (): never => {
    throw new Error('boom')
  }
  await using follower = await follow({ transform: boom, indexes: { broken: boom } })
  const { server, informer, until } = follower
  informer.onChange(boom)
  server.put('a', { v: '1' })
  informer.start()
  await until('a=1')
  server.put('b', { v: '1' })
  server.remove('a')
  await until('b=1')
  expect(informer.stats()).toMatchObject({ lists: 1, failures: 0 })
  expect(informer.stats().handlerFailures).toBeGreaterThan(3)
})

test('a kind that may be missing is followed when it appears and forgotten when it goes', async () => {
  await using follower = await follow({ optional: true })
  const { server, informer, told, until } = follower
  const installed: boolean[] = []
  informer.onInstalled((is) => installed.push(is))
  server.put('a', { v: '1' })
  server.fail('list', { type: 'answer', status: 404, body: '404 page not found\n' })
  informer.start()
  await informer.synced
  expect(informer.installed).toBe(false)
  await until('a=1')
  expect(informer.installed).toBe(true)
  await eventually(
    () => server.openWatches === 1,
    () => 'no watch',
  )
  const missing = { type: 'answer', status: 404, body: '404 page not found\n' } as const
  server.fail('watch', missing)
  server.fail('list', missing)
  server.endWatches('end')
  await eventually(
    () => informer.installed === false,
    () => 'still installed',
  )
  await until('a=1')
  expect(installed).toEqual([false, true, false, true])
  expect(told).toEqual(['added a', 'deleted a', 'added a'])
})

test('a required kind that is missing is waited for, and the reason is known', async () => {
  await using follower = await follow()
  const { server, informer, until } = follower
  server.fail('list', { type: 'answer', status: 404, body: '404 page not found\n' })
  informer.start()
  await eventually(
    () => informer.lastError !== undefined,
    () => 'no error',
  )
  expect(informer.hasSynced).toBe(false)
  expect(informer.lastError?.message).toContain('is the kind installed?')
  server.put('a', { v: '1' })
  await until('a=1')
})
