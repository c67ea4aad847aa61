import { expect, test } from 'vitest'
import { unreachableBackends } from './backends.ts'

const backend = { name: 'kube-apiserver', endpoints: 2, healthy: 0, untried: 0, openConnections: 0 }

test('a backend without any target that answers is told with the last error', () => {
  expect(unreachableBackends([{ ...backend, lastError: '10.0.0.1:6443 refused' }])).toEqual([
    {
      reason: 'BackendUnreachable',
      message: 'no target of kube-apiserver takes connections: 10.0.0.1:6443 refused',
    },
  ])
})

test.each([
  ['one that answers', { healthy: 1, lastError: 'refused' }],
  ['one that was not tried', { untried: 1, lastError: 'refused' }],
  ['no error yet', {}],
  ['no targets at all, which is told elsewhere', { endpoints: 0, lastError: 'refused' }],
])('nothing is told of a backend with %s', (_, facts) => {
  expect(unreachableBackends([{ ...backend, ...facts }])).toEqual([])
})
