import { expect, test } from 'vitest'
import type { KubeClient } from '../kube/client.ts'
import { ApiError } from '../kube/error.ts'
import { defineKind } from '../kube/kind.ts'
import { createLogger } from '../observe/log.ts'
import { FakeClock } from '../time/fake-clock.ts'
import { Informer } from './informer.ts'

const kind = defineKind({ apiVersion: 'example.com/v1', kind: 'Thing', plural: 'things', namespaced: true })

/** An API server that has the kind or not, and whose watches never tell anything. */
function server() {
  const it = { isInstalled: false }
  const client: Pick<KubeClient, 'list' | 'watch'> = {
    async list() {
      if (it.isInstalled) return { items: [], resourceVersion: '1' }
      throw new ApiError({ method: 'GET', url: '/things', status: 404, reason: 'NotFound', message: 'no such page' })
    },
    async *watch(_kind, { signal }) {
      await new Promise((resolve) => signal?.addEventListener('abort', resolve))
      yield* []
    },
  }
  return { it, client: client as KubeClient }
}

test('that an optional kind is missing is told once, and again only when it changes', async () => {
  const clock = new FakeClock()
  const lines: { level: number; msg: string; err?: unknown }[] = []
  const log = createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line)) })
  const { it, client } = server()
  const informer = new Informer({ client, kind, clock, random: () => 0, log, optional: true })
  informer.start()
  await clock.advance(300_000)
  expect(informer.installed).toBe(false)
  expect(informer.stats().lists).toBeGreaterThan(5)
  expect(lines.map(({ msg }) => msg)).toEqual(['the kind is not installed; going on without'])
  it.isInstalled = true
  await clock.advance(60_000)
  expect(informer.installed).toBe(true)
  expect(lines.map(({ msg }) => msg)).toEqual([
    'the kind is not installed; going on without',
    'the kind is installed now',
  ])
  expect(lines.every(({ err }) => err === undefined)).toBe(true)
  await informer.stop()
})
