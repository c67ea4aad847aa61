import { expect, test } from 'vitest'
import { attachmentRemarks, machineNetworkProblem } from './attachment.ts'

const definition = (plugin: object | string) => ({
  spec: { config: typeof plugin === 'string' ? plugin : JSON.stringify({ plugins: [plugin] }) },
})

test.each([
  [{ type: 'bridge', ipam: { type: 'static' } }, undefined],
  [{ type: 'bridge', ipam: { type: 'whereabouts' } }, 'another address'],
  [{ type: 'macvlan', ipam: { type: 'static' } }, 'does not reach the node'],
  [{ type: 'ovn-k8s-cni-overlay', topology: 'layer2' }, 'use localnet'],
  [{ type: 'bridge', macspoofchk: true }, 'macspoofchk'],
  ['rubbish', undefined],
])('%j', (plugin, expected) => {
  const remarks = attachmentRemarks('a/b', definition(plugin)).map(({ message }) => message)
  expect(remarks).toEqual(expected === undefined ? [] : [expect.stringContaining(expected)])
})

test('the network of machines has no IPAM', () => {
  expect(machineNetworkProblem('a/b', definition({ type: 'bridge' }))).toBeUndefined()
  expect(machineNetworkProblem('a/b', definition({ type: 'bridge', ipam: {} }))).toBeUndefined()
  expect(machineNetworkProblem('a/b', definition('rubbish'))).toBeUndefined()
  expect(machineNetworkProblem('a/b', definition({ type: 'bridge', ipam: { type: 'dhcp' } }))).toMatchObject({
    reason: 'NetworkAttachmentUnusable',
  })
})
