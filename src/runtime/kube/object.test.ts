import { expect, expectTypeOf, test } from 'vitest'
import type { Deployment, Lease } from './kinds.ts'
import { keyOf, parseKey } from './object.ts'

test('keys', () => {
  expect([keyOf({ namespace: 'a', name: 'b' }), keyOf({ name: 'b' })]).toEqual(['a/b', 'b'])
  expect([parseKey('a/b'), parseKey('b')]).toEqual([{ namespace: 'a', name: 'b' }, { name: 'b' }])
})

test('types are those of the wire', () => {
  expectTypeOf<NonNullable<Lease['spec']>['renewTime']>().toEqualTypeOf<string | undefined>()
  expectTypeOf<Deployment['metadata']['name']>().toEqualTypeOf<string>()
})
