import { describe, expect, it } from 'vitest'
import { pluginsOf } from './delegate.ts'
import { attachedStatus, podNetworkStatus } from './result.ts'
import { mayUse, parseSelections } from './selection.ts'

const selection = { namespace: 'a', name: 'vlan100', interface: 'net1', ips: ['192.168.100.3/23'], mac: undefined }

describe('the networks annotation', () => {
  it.each([
    [
      'a list',
      '[{"name":"vlan100","namespace":"b","ips":["10.0.0.2/24"],"interface":"vlan"}]',
      'b',
      'vlan',
      ['10.0.0.2/24'],
    ],
    ['a list with defaults', '[{"name":"vlan100"}]', 'pod', 'net1', []],
    ['a name', 'vlan100', 'pod', 'net1', []],
    ['a name with namespace and interface', 'b/vlan100@eth7', 'b', 'eth7', []],
  ])('can be %s', (_, annotation, namespace, interfaceName, ips) => {
    expect(parseSelections(annotation, 'pod')).toEqual([
      { name: 'vlan100', namespace, interface: interfaceName, ips, mac: undefined },
    ])
  })

  it('numbers the interfaces', () => {
    expect(parseSelections('one, two', 'pod').map((one) => one.interface)).toEqual(['net1', 'net2'])
  })

  it('may name the own namespace and default', () => {
    expect(['a', 'default', 'b'].map((pod) => mayUse(pod, selection))).toEqual([true, false, false])
    expect(mayUse('a', { ...selection, namespace: 'default' })).toBe(true)
  })
})

describe('a network attachment definition', () => {
  it('gives the wanted address to the plugin that declares the capability', () => {
    const config =
      '{"cniVersion":"1.0.0","name":"x","plugins":[{"type":"bridge","capabilities":{"ips":true}},{"type":"sbr"}]}'
    expect(pluginsOf(config, selection)).toEqual([
      { type: 'bridge', cniVersion: '1.0.0', name: 'x', runtimeConfig: { ips: ['192.168.100.3/23'] } },
      { type: 'sbr', cniVersion: '1.0.0', name: 'x', runtimeConfig: {} },
    ])
  })

  it('may be a single plugin without a name', () => {
    const [plugin] = pluginsOf('{"type":"bridge","bridge":"br1"}', selection)
    expect(plugin).toEqual({ type: 'bridge', bridge: 'br1', cniVersion: '0.3.1', name: 'vlan100', runtimeConfig: {} })
  })

  it.each(['', '{', '[]', '{"plugins":[]}'])('is refused when it is %j', (config) => {
    expect(() => pluginsOf(config, selection)).toThrow()
  })
})

it('reports addresses without prefix length and the MAC inside the pod', () => {
  const result = {
    interfaces: [
      { name: 'veth1', mac: '00:00:00:00:00:01' },
      { name: 'net1', mac: '00:00:00:00:00:02', sandbox: '/run/netns/x' },
    ],
    ips: [{ address: '192.168.100.3/23' }],
  }
  const expected = { name: 'a/vlan100', interface: 'net1', ips: ['192.168.100.3'], mac: '00:00:00:00:00:02', dns: {} }
  expect(attachedStatus(selection, result)).toEqual(expected)
  expect(podNetworkStatus({})).toEqual({ name: 'pods', interface: 'eth0', ips: [], mac: '', dns: {}, default: true })
})
