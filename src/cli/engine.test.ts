import { expect, test } from 'vitest'
import { oooi } from './testing.ts'

test.each([
  [['dns'], 'give what to serve: --config <manifest.yaml> or --resource <namespace/name>'],
  [['dhcp', '--config-file', '/etc/dhcp.yaml'], 'give what to serve'],
  [['dns', '--config', 'a', '--resource', 'b/c'], 'not both'],
  [['proxy', '--proxy-name', 'c1'], 'it must be <namespace>/<name>'],
  [['dhcp', '--corefile', 'x', '--resource', 'a/b'], 'unknown option'],
])('an engine is told exactly one thing to serve: %j', async (args, sentence) => {
  const { exitCode, stderr } = await oooi(...args)
  expect(stderr).toContain(sentence)
  expect(exitCode).toBe(2)
})

test('no way to a cluster is one sentence, and flags that mean nothing are told', async () => {
  const { exitCode, stderr } = await oooi('dns', '--resource', 'clusters/c1-dns', '--corefile', '/etc/Corefile')
  expect(exitCode).toBe(4)
  expect(stderr).toContain('No Kubernetes cluster is configured')
  expect(stderr).toContain('[NoCluster]')
  expect(stderr).toContain('warning: ignored, --corefile')
})

test('a kubeconfig that is not there is one sentence', async () => {
  const { exitCode, stderr } = await oooi('dns', '--resource', 'clusters/c1-dns', '--kubeconfig', '/nowhere/config')
  expect(exitCode).toBe(4)
  expect(stderr.trim().split('\n')).toEqual([expect.stringContaining('/nowhere/config cannot be read')])
})
