import { expect, test } from 'vitest'
import { kinds } from '../../api/kinds.ts'
import { goodManifests } from '../../api/testing/manifests.ts'
import { translate } from '../translate/translate.ts'
import { attachedTo, bindAttached, domainAt } from './attached.ts'

const infra = kinds.Infra.schema.parse({ ...goodManifests.Infra, metadata: { name: 'c1' } })

function attachment(name: string, machines?: string) {
  const annotations = machines === undefined ? {} : { 'hostedcluster.densityops.com/machines': machines }
  return kinds.InfraClusterAttachment.schema.parse({
    ...goodManifests.InfraClusterAttachment,
    metadata: { name, annotations },
    spec: {
      infraRef: { name: 'c1' },
      hostedClusterRef: { name },
      dns: { clusterName: name, baseDomain: 'example.com' },
    },
  })
}

/** For whom the names are that every cluster has. */
function clientsOf(...attachments: ReturnType<typeof attachment>[]) {
  const result = translate(infra, { bindings: bindAttached(attachedTo(infra, attachments)).bindings })
  const backends = result.ok ? (result.value.proxy?.spec.backends ?? []) : []
  return backends
    .filter(({ name }) => name.endsWith('kubernetes-hostname-6443'))
    .map(({ sourcePrefixRanges, clientCluster }) => sourcePrefixRanges ?? clientCluster ?? 'everybody')
}

test('without attachments the Infra itself is the cluster', () => {
  const other = { ...infra, metadata: { name: 'other' } }
  expect(bindAttached(attachedTo(other, [attachment('a')])).bindings).toBeUndefined()
})

test('the first cluster has all whom nothing tells apart, a further one its networks, or nobody', () => {
  expect(clientsOf(attachment('a'))).toEqual(['everybody'])
  expect(clientsOf(attachment('a'), attachment('b', '192.168.100.64/26, 192.168.100.128/26'))).toEqual([
    'everybody',
    ['192.168.100.64/26', '192.168.100.128/26'],
  ])
  expect(clientsOf(attachment('a', '192.168.100.0/26'), attachment('b'))).toEqual([
    ['192.168.100.0/26'],
    // A control plane that no lease belongs to outside Kubernetes.
    'clusters-b',
  ])
})

test('machines have their names below the domain of the cluster in whose networks they are', () => {
  const { bindings = [] } = bindAttached(attachedTo(infra, [attachment('a'), attachment('b', '192.168.100.128/26')]))
  expect(domainAt('192.168.100.130', bindings)).toBe('b.example.com')
  expect(domainAt('192.168.100.100', bindings)).toBeUndefined()
})
