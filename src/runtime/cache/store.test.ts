import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { KubeObject } from '../kube/object.ts'
import { Store } from './store.ts'

const colour = (object: KubeObject): string[] => (object.metadata.labels?.colours ?? '').split(',').filter(Boolean)

function object(name: string, colours: string): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default', labels: { colours } } }
}

test('an index answers as a search through all objects would', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd')
  const colours = fc.subarray(['red', 'green', 'blue']).map((some) => some.join())
  const step = fc.oneof(
    fc.record({ put: fc.constant(true), name, colours }),
    fc.record({ put: fc.constant(false), name, colours: fc.constant('') }),
  )
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const store = new Store({ colour })
      const all = new Map<string, KubeObject>()
      for (const { put, name, colours } of steps) {
        if (put) {
          store.put(object(name, colours))
          all.set(name, object(name, colours))
        } else {
          store.remove(`default/${name}`)
          all.delete(name)
        }
        expect(store.size).toBe(all.size)
        for (const wanted of ['red', 'green', 'blue', 'none']) {
          const expected = [...all.values()].filter((candidate) => colour(candidate).includes(wanted))
          const found = store.byIndex('colour', wanted)
          expect(found.map((it) => it.metadata.name).sort()).toEqual(expected.map((it) => it.metadata.name).sort())
        }
      }
    }),
  )
})

test('an index that was not asked for is a mistake', () => {
  expect(() => new Store().byIndex('colour', 'red')).toThrow("There is no index 'colour'.")
})
