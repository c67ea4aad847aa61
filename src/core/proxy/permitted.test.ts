import { expect, test } from 'vitest'
import { onlyPermittedTargets } from './permitted.ts'
import { routesOf } from './routes.ts'
import { type BackendInput, backend, proxyServer } from './testing.ts'

type Resolved = NonNullable<NonNullable<Parameters<typeof proxyServer>[0]['status']>['resolved']>['backends']

/** Where the pod would go, and what it says. */
function served(backends: BackendInput[], resolved?: Resolved) {
  const proxy = proxyServer({ backends, status: resolved && { resolved: { backends: resolved } } })
  const routes = routesOf(onlyPermittedTargets(proxy))
  return {
    targets: routes.backends.map(({ targets }) => targets.map(({ host, port }) => `${host}:${port}`)),
    reasons: routes.problems.map(({ reason }) => reason),
  }
}

test('nothing is permitted before the manager has looked', () => {
  expect(served([backend('api', { targetAddress: '10.9.9.9' })])).toEqual({
    targets: [[]],
    reasons: ['TargetUnresolved'],
  })
})

test('an edit changes nothing until the manager has looked again', () => {
  const resolved = [{ name: 'api', endpoints: [{ address: '192.0.2.7', port: 6443 }] }]
  for (const targetAddress of ['192.0.2.7', '10.9.9.9', 'metadata.example.com']) {
    expect(served([backend('api', { targetAddress, targetPort: 22 })], resolved).targets).toEqual([['192.0.2.7:6443']])
  }
  expect(served([backend('other', { targetAddress: '10.9.9.9' })], resolved).targets).toEqual([[]])
})

test('a name is gone to where the manager permits that very name', () => {
  const resolved = [{ name: 'apps', targetName: 'apps.example.com' }]
  for (const targetAddress of ['apps.example.com', 'other.example.com', '10.9.9.9']) {
    expect(served([backend('apps', { targetAddress })], resolved).targets).toEqual([['apps.example.com:6443']])
  }
})
