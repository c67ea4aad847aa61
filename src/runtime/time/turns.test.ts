import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

test('a task begins when the one before it has ended, however that ended', async () => {
  const turns = new Turns()
  const journal: string[] = []
  const task = (name: string, fails = false) =>
    turns.take(async () => {
      journal.push(`${name} begins`)
      await Promise.resolve()
      journal.push(`${name} ends`)
      if (fails) throw new Error(name)
      return name
    })
  const results = await Promise.allSettled([task('first'), task('second', true), task('third')])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  const inOrder = ['first', 'second', 'third'].flatMap((name) => [`${name} begins`, `${name} ends`])
  expect(journal).toEqual(inOrder)
})
