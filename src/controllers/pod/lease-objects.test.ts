import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { LeaseRecord } from '../../engines/dhcp/leases/lease-record.ts'
import { ApiError } from '../../runtime/kube/error.ts'
import { FakeCluster } from '../../runtime/kube/fake-cluster.ts'
import { defineKind } from '../../runtime/kube/kind.ts'
import type { KubeObject } from '../../runtime/kube/object.ts'
import { createLogger } from '../../runtime/observe/log.ts'
import { LastGoodCopy } from '../../runtime/source/last-good-copy.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { LeaseObjects } from './lease-objects.ts'

const log = createLogger('silent', { write: () => undefined })
const server = { namespace: 'clusters', name: 'c1-dhcp' }
const kind = defineKind<KubeObject>({ apiVersion: 'v1', kind: 'DHCPLease', plural: 'dhcpleases', namespaced: true })
const key = 'clusters/c1-dhcp-10-0-0-1'
const start = '2026-01-01T00:00:00.000Z'
const record: LeaseRecord = {
  address: '10.0.0.1',
  mac: '02:00:00:00:00:01',
  state: 'Active',
  start,
  expires: start,
  sequence: 1,
}

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'oooi-leases-'))
})
afterEach(() => rm(directory, { recursive: true }))

function scene({ objects = [], isUp = true }: { objects?: KubeObject[]; isUp?: boolean } = {}) {
  const cluster = new FakeCluster()
  const list = async (): Promise<never> => {
    if (!isUp)
      throw new ApiError({ method: 'GET', url: 'leases', status: 0, reason: 'Unreachable', message: 'refused' })
    return { items: objects, resourceVersion: '1' } as never
  }
  const client = {
    list,
    get: cluster.get.bind(cluster),
    apply: cluster.apply.bind(cluster),
    applyNew: cluster.applyNew.bind(cluster),
  }
  const marker = new LastGoodCopy(join(directory, 'marker.json'), log)
  const leases = new LeaseObjects({ client, server, marker, clock: systemClock, random: () => 0, log })
  leases.ownedBy('server-uid')
  return { cluster, leases }
}

test('a lease is an object of its server', async () => {
  const { cluster, leases } = scene()
  await leases.load()
  await leases.keep([record])
  expect(cluster.peek(kind, key)).toMatchObject({
    kind: 'DHCPLease',
    metadata: {
      ownerReferences: [{ kind: 'DHCPServer', name: 'c1-dhcp', uid: 'server-uid', controller: true }],
      labels: { 'hostedcluster.densityops.com': 'c1-dhcp' },
    },
    spec: { server: 'c1-dhcp', ...record },
  })
  expect(cluster.calls).toEqual([`applyNew DHCPLease ${key}`])
})

test('an object that is deleted is made anew; one that was there before it could be listed is used', async () => {
  const { cluster, leases } = scene()
  await leases.keep([record])
  const made = cluster.peek(kind, key)
  await cluster.delete(kind, { ...server, name: 'c1-dhcp-10-0-0-1' }, made?.metadata.uid ?? '')
  await leases.keep([{ ...record, sequence: 2, mac: '02:00:00:00:00:02' }])
  expect(cluster.peek(kind, key)).toMatchObject({ spec: { sequence: 2 } })

  const other = scene()
  await other.cluster.create(kind, { ...made, spec: { server: 'c1-dhcp' } } as KubeObject)
  await other.leases.keep([record])
  expect(other.cluster.peek(kind, key)).toMatchObject({ spec: { sequence: 1 } })
})

test("another server's object is left alone", async () => {
  const { cluster, leases } = scene()
  const metadata = { name: 'c1-dhcp-10-0-0-1', namespace: 'clusters' }
  await cluster.create(kind, { apiVersion: 'v1', kind: 'DHCPLease', metadata, spec: { server: 'c1' } } as KubeObject)
  await leases.keep([record])
  expect(cluster.peek(kind, key)).toMatchObject({ spec: { server: 'c1' } })
})

test('what is there is loaded, and not written again', async () => {
  const metadata = { name: 'c1-dhcp-10-0-0-1', namespace: 'clusters', uid: 'u' }
  const object = { apiVersion: 'v1', kind: 'DHCPLease', metadata, spec: { server: 'c1-dhcp', ...record } }
  const { cluster, leases } = scene({ objects: [object] })
  expect(await leases.load()).toEqual({ ok: true, value: [record] })
  expect(leases.keep([record])).toBeUndefined()
  expect(cluster.calls).toEqual([])
})

test('without an API server: a disk that had the leases once may go on, an empty one may not', async () => {
  const { leases } = scene({ isUp: false })
  expect(await leases.load()).toMatchObject({ ok: false, problems: [{ reason: 'ApiUnreachable' }] })
  leases.adopted()
  await leases.stop(0)
  expect(await scene({ isUp: false }).leases.load()).toEqual({ ok: true, value: [] })
})
