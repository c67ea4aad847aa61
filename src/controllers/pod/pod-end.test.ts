import { expect, it } from 'vitest'
import { PodEnd } from './pod-end.ts'

it('a container that is restarted alone is asked by nobody', async () => {
  expect(await new PodEnd().isComing(10)).toBe(false)
})

it('the end of the pod asks, a moment before or after, and is answered when all is over', async () => {
  const [before, after] = [new PodEnd(), new PodEnd()]
  const answered: string[] = []
  void before.asked().then(() => answered.push('before'))
  expect(await before.isComing(10_000)).toBe(true)
  const coming = after.isComing(10_000)
  void after.asked().then(() => answered.push('after'))
  expect(await coming).toBe(true)
  expect(answered).toEqual([])
  before.over()
  after.over()
  await expect.poll(() => answered).toEqual(['before', 'after'])
})
