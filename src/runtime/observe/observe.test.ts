import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createLogger } from './log.ts'
import { Metrics } from './metrics.ts'
import { close, createObserveServer, listen } from './server.ts'

const cleanups: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

async function serve(options: Parameters<typeof createObserveServer>[0]): Promise<string> {
  const server = createObserveServer(options)
  await listen(server, { host: '127.0.0.1', port: 0 })
  cleanups.push(() => close(server))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('counters and gauges are read when they are scraped', async () => {
  const metrics = new Metrics()
  let packets = 1
  metrics.counter({ name: 'oooi_packets_total', help: 'Packets.', labels: ['type'] }, () => [
    { labels: { type: 'a' }, value: packets },
  ])
  metrics.gauge({ name: 'oooi_open', help: 'Open.' }, () => [{ value: 7 }])
  metrics.histogram({ name: 'oooi_sync_seconds', help: 'Sync.' }, [0.1, 1])(0.05)
  packets = 42
  const url = await serve({ metrics, ready: () => [] })
  for (let scrape = 0; scrape < 2; scrape++) {
    const text = await (await fetch(`${url}/metrics`)).text()
    expect(text).toContain('oooi_packets_total{type="a"} 42')
    expect(text).toContain('oooi_open 7')
    expect(text).toContain('oooi_sync_seconds_bucket{le="0.1"} 1')
  }
})

test('a metric registered again replaces the old one', async () => {
  const metrics = new Metrics()
  for (const value of [1, 2]) metrics.gauge({ name: 'oooi_open', help: 'Open.' }, () => [{ value }])
  expect((await metrics.expose()).body).toContain('oooi_open 2')
})

test('readiness says what is missing', async () => {
  const missing = ['dns is not ready']
  const url = await serve({ metrics: new Metrics(), ready: () => missing })
  const before = await fetch(`${url}/readyz`)
  expect([before.status, await before.text()]).toEqual([503, 'dns is not ready\n'])
  missing.pop()
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
})

test('documents are served, everything else is refused', async () => {
  const url = await serve({ metrics: new Metrics(), ready: () => [], documents: { '/status': () => ({ fine: true }) } })
  expect(await (await fetch(`${url}/status?x=1`)).json()).toEqual({ fine: true })
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  expect((await fetch(`${url}/elsewhere`)).status).toBe(404)
  expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405)
})

test('a document that cannot be made is an error of the request, not of the process', async () => {
  const url = await serve({
    metrics: new Metrics(),
    ready: () => [],
    documents: {
      '/status': () => {
        throw new Error('broken')
      },
    },
  })
  expect((await fetch(`${url}/status`)).status).toBe(500)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
})

test('logs are JSON lines with the level as a word', () => {
  const lines: string[] = []
  const log = createLogger('info', { write: (line) => lines.push(line) })
  log.debug('unheard')
  log.warn({ address: '192.0.2.1' }, 'taken')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 'warn', msg: 'taken', address: '192.0.2.1' }])
})

test('parts of one sort share a metric: one heading, samples told apart by a label', async () => {
  const metrics = new Metrics()
  const text = { name: 'things_total', help: 'Things.' }
  for (const infra of ['a', 'b']) metrics.labelled('infra', infra).counter(text, () => [{ value: 1 }])
  metrics.labelled('infra', 'a').counter(text, () => [{ value: 5 }])
  metrics.gauge({ name: 'other', help: 'Other.' }, () => [{ value: 7 }])
  expect((await metrics.expose()).body).toBe(
    [
      '# HELP other Other.\n# TYPE other gauge\nother 7\n',
      '# HELP things_total Things.\n# TYPE things_total counter',
      'things_total{infra="a"} 5\nthings_total{infra="b"} 1\n',
    ].join('\n'),
  )
})
