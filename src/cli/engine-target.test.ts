import { expect, test } from 'vitest'
import { chooseTarget, ignoredFlags, type TargetOptions } from './engine-target.ts'

test.each<[TargetOptions, object]>([
  [{ config: 'dns.yaml' }, { type: 'file', path: 'dns.yaml' }],
  [{ resource: 'clusters/c1-dns' }, { type: 'object', object: { namespace: 'clusters', name: 'c1-dns' } }],
  [{ resource: 'clusters/c1-dns', kubeconfig: 'k' }, { kubeconfig: 'k' }],
  [{ namespace: 'clusters', proxyName: 'c1-proxy' }, { object: { namespace: 'clusters', name: 'c1-proxy' } }],
])('%j is one thing to serve', (options, target) => {
  expect(chooseTarget(options)).toMatchObject({ ok: true, value: target })
})

test.each<[TargetOptions, string]>([
  [{}, 'give what to serve'],
  [{ configFile: 'x' }, 'give what to serve'],
  [{ config: 'a', resource: 'b/c' }, 'not both'],
  [{ config: 'a', kubeconfig: 'k' }, 'goes with --resource only'],
  [{ resource: 'c1-dns' }, 'must be <namespace>/<name>'],
  [{ resource: 'a/b/c' }, 'must be <namespace>/<name>'],
  [{ resource: '../x' }, 'must be <namespace>/<name>'],
  [{ proxyName: 'c1-proxy' }, 'must be <namespace>/<name>'],
])('%j is refused in one sentence', (options, sentence) => {
  expect(chooseTarget(options)).toMatchObject({ ok: false, problems: [{ message: expect.stringContaining(sentence) }] })
})

test('flags without a meaning are told', () => {
  expect(ignoredFlags({ corefile: 'x', xdsPort: '1', resource: 'a/b' })).toEqual([
    expect.stringContaining('--corefile'),
    expect.stringContaining('--xds-port'),
  ])
})
