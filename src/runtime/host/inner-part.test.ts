import { expect, test } from 'vitest'
import { innerPart } from './inner-part.ts'

test('a part that Node has, one that it has not, and a Node without any', () => {
  expect(innerPart('udp_wrap')).toHaveProperty('SendWrap')
  expect(innerPart('no_such_wrap')).toBeUndefined()
  expect(innerPart('udp_wrap', {})).toBeUndefined()
})
