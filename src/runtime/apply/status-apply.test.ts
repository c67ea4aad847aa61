import { expect, test } from 'vitest'
import { defineKind } from '../kube/kind.ts'
import type { KubeObject } from '../kube/object.ts'
import { StatusApply } from './status-apply.ts'

interface Thing extends KubeObject {
  status?: { made?: number; seen?: number }
}

const kind = defineKind<Thing>({ apiVersion: 'example.com/v1', kind: 'Thing', plural: 'things', namespaced: true })
const metadata = { name: 'a', namespace: 'n' }
const intent = (made: number): Thing => ({ apiVersion: 'example.com/v1', kind: 'Thing', metadata, status: { made } })
const live = (status?: Thing['status']): Thing => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { ...metadata, uid: 'u' },
  ...(status ? { status } : {}),
})

/** An API server that merges what it is sent into what others wrote. */
function server(others: Thing['status']): { calls: number; apply: StatusApply } {
  const it = {
    calls: 0,
    apply: new StatusApply({
      async applyStatus<T extends KubeObject>(_kind: unknown, sent: object): Promise<T> {
        it.calls++
        const object = live({ ...others, ...('status' in sent ? Object(sent.status) : {}) })
        return { ...object, metadata: { ...object.metadata, resourceVersion: '5' } } as unknown as T
      },
    }),
  }
  return it
}

test('sends what is new and not what is so already', async () => {
  const { apply } = server({ seen: 1 })
  expect(await apply.apply(kind, intent(1), live())).toBe(true)
  expect(await apply.apply(kind, intent(1), live({ made: 1, seen: 1 }))).toBe(false)
  expect(await apply.apply(kind, intent(2), live({ made: 1, seen: 1 }))).toBe(true)
})

test('sends again when somebody changed the status, and when the cache is behind', async () => {
  const { apply } = server({})
  await apply.apply(kind, intent(1), live())
  expect(await apply.apply(kind, intent(1), live({ made: 9 }))).toBe(true)
  expect(await apply.apply(kind, intent(1), live())).toBe(true)
})

test('sends nothing for what others write beside it, nor for a state from before its own write', async () => {
  const { apply } = server({ seen: 1 })
  const at = (resourceVersion: string, status?: Thing['status']): Thing => {
    const object = live(status)
    return { ...object, metadata: { ...object.metadata, resourceVersion } }
  }
  await apply.apply(kind, intent(1), at('4'))
  expect(await apply.apply(kind, intent(1), at('6', { made: 1, seen: 2 }))).toBe(false)
  expect(await apply.apply(kind, intent(1), at('4'))).toBe(false)
  expect(await apply.apply(kind, intent(1), at('7', { made: 3, seen: 2 }))).toBe(true)
  expect([at('4'), at('5'), live()].map((object) => apply.isBehind(object))).toEqual([true, false, false])
})

test('an object made anew under the same name is another one', async () => {
  const { apply } = server({})
  await apply.apply(kind, intent(1), live())
  const reborn = live({ made: 1 })
  expect(await apply.apply(kind, intent(1), { ...reborn, metadata: { ...reborn.metadata, uid: 'v' } })).toBe(true)
  apply.forget('u')
  expect(await apply.apply(kind, intent(1), live({ made: 1 }))).toBe(true)
})

test('what was never read cannot have a status', async () => {
  const { apply } = server({})
  await expect(apply.apply(kind, intent(1), intent(1))).rejects.toThrow('Thing n/a has no uid')
})
