import { expect, test } from 'vitest'
import { type ComponentObservation, componentStatements } from './component.ts'
import type { PodView } from './pods.ts'

const usable = { spec: { config: '{"type":"bridge","capabilities":{"ips":true},"ipam":{"type":"static"}}' } }

function pod(ips: string[] | undefined, phase = 'Running'): PodView {
  const networks = ips && { 'k8s.v1.cni.cncf.io/network-status': JSON.stringify([{ name: 'ns/vlan', ips }]) }
  return { metadata: { name: 'c1-dhcp-x', ...(networks ? { annotations: networks } : {}) }, status: { phase } }
}

const fine: ComponentObservation = {
  generation: 3,
  problems: [],
  warnings: [],
  attachment: { name: 'vlan', namespace: 'ns', address: '10.0.0.2', isKindInstalled: true, found: usable },
  namespace: 'ns',
  forDhcp: true,
  deployment: {
    metadata: { name: 'c1-dhcp', generation: 2 },
    status: { observedGeneration: 2, updatedReplicas: 1, availableReplicas: 1 },
  },
  pods: [pod(['10.0.0.2'])],
  servingGeneration: 3,
}

/** `Type Status Reason` of what is not True. */
function troubles(changes: Partial<ComponentObservation>): string[] {
  return componentStatements({ ...fine, ...changes })
    .filter(({ status }) => status !== 'True')
    .map(({ type, status, reason }) => `${type} ${status} ${reason}`)
}

const { attachment } = fine
const deployment = (status: object) => ({ metadata: { name: 'c1-dhcp', generation: 2 }, status })

test.each<[string, Partial<ComponentObservation>, string[]]>([
  ['all is well', {}, []],
  ['a problem', { problems: [{ reason: 'NoResolver', message: 'x' }] }, ['Accepted False NoResolver']],
  [
    'no Multus',
    { attachment: { ...attachment, isKindInstalled: false, found: undefined } },
    ['NetworkAttached False MultusMissing'],
  ],
  [
    'no definition',
    { attachment: { ...attachment, found: undefined } },
    ['NetworkAttached False NetworkAttachmentMissing'],
  ],
  ['another address', { pods: [pod(['10.0.0.9'])] }, ['NetworkAttached False NetworkNotAttached']],
  ['no address', { pods: [pod([])] }, ['NetworkAttached False NetworkNotAttached']],
  ['Multus noted nothing', { pods: [pod(undefined)] }, ['NetworkAttached False NetworkNotAttached']],
  ['not running yet', { pods: [pod(undefined, 'Pending')] }, ['NetworkAttached Unknown PodPending']],
  [
    'only the old pod',
    { pods: [{ ...pod(['10.0.0.2']), metadata: { name: 'old', deletionTimestamp: 'now' } }] },
    ['NetworkAttached Unknown PodPending'],
  ],
  ['no Deployment', { deployment: undefined }, ['Available Unknown PodPending']],
  [
    'what is available is the version before',
    { deployment: deployment({ observedGeneration: 1, updatedReplicas: 1, availableReplicas: 1 }) },
    ['Available False PodPending'],
  ],
  ['nothing available', { deployment: deployment({ observedGeneration: 2 }) }, ['Available False PodPending']],
  ['the engine said nothing', { servingGeneration: undefined }, ['Serving Unknown NotServing']],
  ['the engine serves the version before', { servingGeneration: 2 }, ['Serving False NotServing']],
])('%s', (_, changes, expected) => {
  expect(troubles(changes)).toEqual(expected)
})

test('a pod that does not run is told in the words of whoever holds it up', () => {
  const message = (status: NonNullable<PodView['status']>) =>
    componentStatements({
      ...fine,
      pods: [{ metadata: { name: 'p' }, status }],
      deployment: deployment({ observedGeneration: 2 }),
    }).find(({ type }) => type === 'Available')?.message
  const unschedulable = [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes' }]
  expect(message({ phase: 'Pending', conditions: unschedulable })).toBe('pod p has no node: 0/3 nodes')
  const waiting = { reason: 'ImagePullBackOff', message: 'no such image' }
  expect(message({ phase: 'Pending', containerStatuses: [{ state: { waiting } }] })).toBe(
    'pod p is Pending, ImagePullBackOff: no such image',
  )
  const refused = [{ type: 'ReplicaFailure', status: 'True', message: 'exceeded quota' }]
  const none = { ...fine, pods: [], deployment: deployment({ observedGeneration: 2, conditions: refused }) }
  expect(componentStatements(none).find(({ type }) => type === 'Available')?.message).toBe('exceeded quota')
})

test.each<[string, string, string | undefined]>([
  ['no JSON', '{', 'not the JSON'],
  ['a list', '[]', 'not the JSON'],
  ['no IPAM', '{"type":"bridge"}', 'no IPAM'],
  ['static without ips', '{"type":"bridge","ipam":{"type":"static"}}', 'capabilities'],
  ['ipvlan l3', '{"type":"ipvlan","mode":"l3","capabilities":{"ips":true},"ipam":{"type":"static"}}', 'mode l2'],
  ['OVN with subnets', '{"type":"ovn-k8s-cni-overlay","subnets":"10.0.0.0/24"}', 'subnets'],
  ['OVN as primary network', '{"type":"ovn-k8s-cni-overlay","topology":"layer2","role":"primary"}', 'primary'],
  ['OVN layer3', '{"type":"ovn-k8s-cni-overlay","topology":"layer3"}', 'layer3'],
  ['OVN without', '{"type":"ovn-k8s-cni-overlay","topology":"localnet"}', undefined],
  [
    'a list of plugins',
    '{"plugins":[{"type":"macvlan","capabilities":{"ips":true},"ipam":{"type":"static"}}]}',
    undefined,
  ],
  ['another IPAM', '{"type":"bridge","ipam":{"type":"whereabouts"}}', undefined],
  ['in a file on the node', '', undefined],
])('a definition with %s', (_, config, why) => {
  const [, statement] = componentStatements({ ...fine, attachment: { ...attachment, found: { spec: { config } } } })
  if (why === undefined) expect(statement).toMatchObject({ status: 'True' })
  else expect(statement).toMatchObject({ reason: 'NetworkAttachmentUnusable', message: expect.stringContaining(why) })
})

test('where namespaces may be isolated, the message says so', () => {
  const elsewhere = { ...attachment, namespace: 'networks' }
  const [, statement] = componentStatements({ ...fine, attachment: elsewhere })
  expect(statement?.message).toContain('has to be in ns or default')
})

test('a definition that is missing: who would make it, and where one of its name is', () => {
  const message = (changes: Partial<ComponentObservation['attachment']>) =>
    componentStatements({ ...fine, attachment: { ...attachment, found: undefined, ...changes } })[1]?.message
  expect(message({})).toMatch(/^there is no NetworkAttachmentDefinition [\w-]+\/[\w-]+$/)
  expect(message({ isInDefault: true })).toContain('set networkAttachmentNamespace')
  expect(message({ maker: 'ClusterUserDefinedNetwork vlan100' })).toContain('let it select')
})
