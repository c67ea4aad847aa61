import { afterEach, beforeEach, expect, it } from 'vitest'
import { kinds } from '../../src/api/kinds.ts'
import { apiVersion } from '../../src/api/meta.ts'
import { createMirroredDhcpEngine } from '../../src/controllers/pod/mirrored-dhcp.ts'
import { createPod } from '../../src/controllers/pod/pod.ts'
import { dhcpStatements, dhcpStatus } from '../../src/controllers/pod/status.ts'
import { serve } from '../../src/controllers/standalone/serve.ts'
import { dhcpRole } from '../../src/core/render/object.ts'
import { LoopbackRelay } from '../../src/engines/dhcp/testing/relay.ts'
import { until } from '../../src/lab/testing.ts'
import { findAccess } from '../../src/runtime/kube/kubeconfig.ts'
import { createLogger } from '../../src/runtime/observe/log.ts'
import { Metrics } from '../../src/runtime/observe/metrics.ts'
import { systemClock } from '../../src/runtime/time/clock.ts'
import { describeWithControlPlane } from './availability.ts'
import { installKinds } from './installed-kinds.ts'
import { podUser, type Seen, stateDirectory, WitnessedObject } from './pod-kit.ts'
import { unusedRights } from './rights.ts'
import { useOwnControlPlane } from './use.ts'

const serverIP = '127.0.0.1'
const name = 'example-dhcp'
const macOf = (number: number) => `02:00:00:00:00:${number.toString(16).padStart(2, '0')}`

describeWithControlPlane('the DHCP engine in its pod', () => {
  const plane = useOwnControlPlane({ audited: true, prepare: [installKinds] })
  const ends: (() => Promise<unknown>)[] = []
  let namespace: string
  let object: WitnessedObject
  let relay: LoopbackRelay

  beforeEach(async () => {
    namespace = await plane().newNamespace('dhcp')
    object = new WitnessedObject(plane(), 'DHCPServer', namespace, name)
    relay = await LoopbackRelay.open(serverIP)
    await object.create({
      networkConfig: { cidr: '127.0.0.0/8', serverIP, dnsServers: [serverIP], networkAttachmentName: 'vlan' },
      leaseConfig: { rangeStart: '127.1.0.0', rangeEnd: '127.1.0.99', leaseTime: '1h' },
      probe: { enabled: false },
    })
  })
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
    relay.close()
  })

  /** In this process, since a server for relays needs the port of the relay. */
  async function start(stateDir: string): Promise<{ end: () => Promise<unknown>; metrics: () => Promise<string> }> {
    const user = await podUser(plane(), 'DHCPServer', namespace, name)
    const access = await findAccess({ environment: {}, clock: systemClock, path: user.kubeconfigPath })
    const log = createLogger('silent', { write: () => undefined })
    const metrics = new Metrics()
    const context = { log, metrics, now: Date.now, podAddresses: [] }
    const server = { namespace, name }
    const ports = { server: relay.port, client: relay.port }
    const time = { clock: systemClock, random: Math.random }
    const pod = createPod({
      definition: kinds.DHCPServer,
      object: server,
      access,
      stateDir,
      context,
      ...time,
      version: 'test',
      createEngine: (client) => createMirroredDhcpEngine({ ...context, stateDir, client, server, ports, ...time }),
      toStatus: dhcpStatus,
      judge: dhcpStatements,
    })
    const stop = new AbortController()
    const serving = Promise.withResolvers<void>()
    const common = { stateDir, metrics, log, stop: stop.signal, drainMs: 1000, staysWithoutAny: true }
    const served = serve({ ...pod, ...common, onServing: serving.resolve })
    const end = async () => {
      stop.abort()
      expect(await served).toEqual([])
    }
    ends.push(end)
    await serving.promise
    return { end, metrics: async () => (await metrics.expose()).body }
  }

  const leases = async () => {
    const path = `/apis/${apiVersion}/namespaces/${namespace}/dhcpleases`
    return (await plane().request<{ items: Seen[] }>(path)).body.items
  }

  it('has an object for each lease, owned by its server, and tells its numbers', async () => {
    await using state = await stateDirectory()
    await start(state.path)
    const address = await relay.join(macOf(1))
    const found = await until('the object', async () => {
      const items = await leases()
      return items.length > 0 ? items : undefined
    })
    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({
      metadata: { name: `${name}-${address?.replaceAll('.', '-')}`, ownerReferences: [{ kind: 'DHCPServer', name }] },
      spec: { server: name, address, mac: macOf(1), state: 'Active', sequence: 1 },
    })
    const status = await until('its status', async () => {
      const seen = (await object.read()).status
      return seen?.activeLeases === 1 ? seen : undefined
    })
    expect(status).toMatchObject({ servingGeneration: 1, totalLeases: 100, poolUsage: 1, leases: { active: 1 } })
  })

  it('says in conditions that the pool is full, that a change orphans leases, and that a version cannot be served', async () => {
    await using state = await stateDirectory()
    await start(state.path)
    const isSo = (type: string, status: string) =>
      until(`${type} ${status}`, async () => {
        const conditions = (await object.read()).status?.conditions
        const list: { type: string; status: string; message: string }[] = Array.isArray(conditions) ? conditions : []
        return list.find((condition) => condition.type === type && condition.status === status)
      })
    await isSo('Applied', 'True')
    await isSo('PoolExhausted', 'False')
    const address = await relay.join(macOf(1))
    await object.patch({ spec: { leaseConfig: { rangeStart: address, rangeEnd: address } } })
    expect((await isSo('PoolExhausted', 'True')).message).toContain('all 1 addresses')
    await object.patch({ spec: { reservations: [{ mac: macOf(2), address }] } })
    // Its client has not heard of it yet: it does at its next renewal.
    expect((await isSo('LeasesOrphaned', 'True')).message).toContain('must change at the next renewal')
    await object.patch({ spec: { networkConfig: { serverIP: '127.9.9.9' } } })
    expect((await isSo('Applied', 'True')).message).toBe('')
    await object.patch({
      spec: {
        networkConfig: { cidr: '10.0.0.0/8', serverIP: '10.0.0.2' },
        leaseConfig: { rangeStart: '10.0.0.5', rangeEnd: '10.0.0.6' },
        reservations: null,
      },
    })
    expect((await isSo('Applied', 'False')).message).toContain('10.0.0.2')
  })

  it('knows every lease on another node, where the disk is empty', async () => {
    await using first = await stateDirectory()
    const before = await start(first.path)
    const addresses: (string | undefined)[] = []
    for (let number = 1; number <= 8; number++) addresses.push(await relay.join(macOf(number)))
    await before.end()
    await using second = await stateDirectory()
    const after = await start(second.path)
    for (let number = 8; number >= 1; number--) {
      const options: [number, string][] = [[50, addresses[number - 1] ?? '']]
      const answer = await relay.ask({ type: 'request', mac: macOf(number), options })
      expect([answer?.type, answer?.yourAddress]).toEqual(['ack', addresses[number - 1]])
    }
    expect(addresses).not.toContain(await relay.join(macOf(9)))
    expect(await after.metrics()).toContain('oooi_dhcp_leases{state="active"} 9')
  })

  it('lends on while the API server is frozen, and the objects catch up', async () => {
    await using state = await stateDirectory()
    const { metrics } = await start(state.path)
    await relay.join(macOf(1))
    plane().pause()
    try {
      for (let number = 2; number <= 20; number++) expect(await relay.join(macOf(number))).toBeDefined()
      expect(await metrics()).toContain('oooi_dhcp_leases{state="active"} 20')
      expect(await metrics()).not.toContain('oooi_dhcp_lease_objects_pending 0')
    } finally {
      plane().resume()
    }
    await until('all objects', async () => ((await leases()).length === 20 ? true : undefined))
    await until('no lag', async () =>
      (await metrics()).includes('oooi_dhcp_lease_objects_pending 0') ? true : undefined,
    )
  })

  it('makes an object again that somebody deleted, with the next change of the lease', async () => {
    await using state = await stateDirectory()
    await start(state.path)
    const address = await relay.join(macOf(1))
    const path = `/apis/${apiVersion}/namespaces/${namespace}/dhcpleases/${name}-${address?.replaceAll('.', '-')}`
    await plane().request(path, { method: 'DELETE' })
    await relay.ask({ type: 'release', mac: macOf(1), clientAddress: address ?? '' }, 200)
    const states = await until('the object', async () => {
      const found = (await leases()).map(({ spec }) => spec.state)
      return found.length > 0 ? found : undefined
    })
    expect(states).toEqual(['Released'])
  })

  it("leaves an object alone that has the name of a lease and is somebody else's", async () => {
    await using state = await stateDirectory()
    const { metrics } = await start(state.path)
    const address = await relay.join(macOf(1))
    const collection = `/apis/${apiVersion}/namespaces/${namespace}/dhcpleases`
    const [lease] = await leases()
    await plane().request(`${collection}/${lease?.metadata.name}`, { method: 'DELETE' })
    const spec = { ...lease?.spec, server: 'another' }
    const body = { apiVersion, kind: 'DHCPLease', metadata: { name: lease?.metadata.name }, spec }
    await plane().request(collection, { method: 'POST', body })
    await relay.ask({ type: 'release', mac: macOf(1), clientAddress: address ?? '' }, 200)
    await until('it gave up', async () =>
      (await metrics()).includes('oooi_dhcp_lease_objects_pending 0') ? true : undefined,
    )
    expect((await leases()).map(({ spec }) => spec.state)).toEqual(['Active'])
  })

  it('needed every right that it has, and no other', async () => {
    const requests = (await plane().audit()).filter(({ user }) => user.endsWith(`:${name}`))
    expect(requests.filter(({ status }) => status === 403)).toEqual([])
    expect(unusedRights(dhcpRole, requests)).toEqual([])
  })
})
