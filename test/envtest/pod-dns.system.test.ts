import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { dnsRole } from '../../src/core/render/object.ts'
import { answerTo, ScriptedUpstream } from '../../src/engines/dns/forward/scripted-upstream.ts'
import { formatUpstream } from '../../src/engines/dns/forward/upstream-address.ts'
import { run } from '../../src/lab/host/command.ts'
import { until } from '../../src/lab/testing.ts'
import { describeWithControlPlane } from './availability.ts'
import { changeRepeatedly } from './dns-changes.ts'
import { installForeignKind, installKinds, removeKinds } from './installed-kinds.ts'
import { ask, EngineProcess, podUser, stateDirectory, WitnessedObject } from './pod-kit.ts'
import { freePorts } from './ports.ts'
import { unusedRights } from './rights.ts'
import { useOwnControlPlane } from './use.ts'

const address = '127.77.0.53'
const domain = 'c1.example.test'

describeWithControlPlane('an engine in its pod', () => {
  const plane = useOwnControlPlane({ audited: true, prepare: [installKinds] })
  let namespace: string
  let port: number
  let object: WitnessedObject
  let state: Awaited<ReturnType<typeof stateDirectory>>
  let engine: EngineProcess | undefined

  beforeEach(async () => {
    namespace = await plane().newNamespace('pod')
    ;[port = 0] = await freePorts(1)
    object = new WitnessedObject(plane(), 'DNSServer', namespace, 'example-dns')
    state = await stateDirectory()
  })
  afterEach(async () => {
    await engine?.[Symbol.asyncDispose]()
    await state[Symbol.asyncDispose]()
  })

  const entries = (...ips: string[]) => ips.map((ip, index) => ({ hostname: `n${index}.${domain}`, ip }))
  const spec = (...ips: string[]) => ({
    networkConfig: {
      serverIP: address,
      proxyIP: '127.77.0.10',
      secondaryNetworkCIDR: '127.77.0.0/24',
      networkAttachmentName: 'vlan',
      dnsPort: port,
    },
    hostedClusterDomain: domain,
    forwarding: { enabled: false },
    staticEntries: entries(...ips),
  })
  const start = async () => {
    const user = await podUser(plane(), 'DNSServer', namespace, 'example-dns')
    engine = await EngineProcess.start(['dns', '--resource', `${namespace}/example-dns`], user, state.path)
    return engine
  }
  const answers = (name: string, wanted: string, withinMs = 30_000) =>
    until(
      `${name} = ${wanted}; ${engine?.log}`,
      async () => ((await ask(address, port, `${name}.${domain}`)) === wanted ? true : undefined),
      withinMs,
    )
  const servingGeneration = async () => (await object.read()).status?.servingGeneration

  it('serves its object and every edit, tells which generation, and writes nothing while nothing changes', async () => {
    await object.create(spec('10.1.1.1'))
    const { untilReady, metric } = bound(await start())
    await untilReady()
    await answers('n0', '10.1.1.1')
    await object.patch({ spec: { staticEntries: entries('10.1.1.2', '10.1.1.3') } })
    await answers('n0', '10.1.1.2')
    await answers('n1', '10.1.1.3')
    await until('generation 2', async () => ((await servingGeneration()) === 2 ? true : undefined))

    const seen = await object.read()
    const engineFields = seen.metadata.managedFields?.filter(({ manager }) => manager === 'oooi-engine')
    expect(engineFields).toMatchObject([
      { operation: 'Apply', subresource: 'status', fieldsV1: { 'f:status': { 'f:servingGeneration': {} } } },
    ])
    const writes = await metric('oooi_status_writes_total{result="done"}')
    await sleep(3000)
    expect(await metric('oooi_status_writes_total{result="done"}')).toBe(writes)
    expect((await object.read()).metadata.resourceVersion).toBe(seen.metadata.resourceVersion)
    expect(await metric('oooi_api_calls_total{method="GET",status="403"}')).toBeNaN()
    expect(await metric('oooi_status_writes_total{result="failed"}')).toBe(0)
  })

  it('serves what the manager resolved, and leaves the fields of the manager alone', async () => {
    await object.create(spec('10.1.1.1'))
    await start()
    await answers('n0', '10.1.1.1')
    const conditions = [
      { type: 'Ready', status: 'True', reason: 'Fine', message: 'fine', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ]
    const records = [{ hostname: `vm1.${domain}`, addresses: ['127.77.0.99'] }]
    await object.patch({ status: { conditions, resolved: { records } } }, '/status')
    await answers('vm1', '127.77.0.99')
    await object.patch({ status: { servingGeneration: 77 } }, '/status')
    await until('its own field mended', async () => ((await servingGeneration()) === 1 ? true : undefined))
    expect((await object.read()).status).toMatchObject({
      conditions: expect.arrayContaining(conditions),
      resolved: { records },
    })
  })

  it('loses no query and nothing of its cache while its object changes', async () => {
    const upstream = await ScriptedUpstream.start((asked) => answerTo(asked))
    try {
      const upstreamDNS = [formatUpstream(upstream.address)]
      await object.create({ ...spec('10.1.1.1', '10.1.1.2'), forwarding: { enabled: true }, upstreamDNS })
      await start()
      await answers('n0', '10.1.1.1')
      const { asked, lost, milliseconds } = await changeRepeatedly({
        server: { address, port },
        changed: `n0.${domain}`,
        steady: `n1.${domain}`,
        foreign: 'kept.example.net',
        count: 20,
        apply: (ip) => object.patch({ spec: { staticEntries: entries(ip, '10.1.1.2') } }),
      })
      expect({ changes: milliseconds.length, lost, wasAsked: asked > 0 }).toEqual({
        changes: 20,
        lost: 0,
        wasAsked: true,
      })
      const forwarded = upstream.queries.filter(({ questions }) => questions?.[0]?.name === 'kept.example.net')
      expect(forwarded).toHaveLength(1)
    } finally {
      upstream.stop()
    }
  })

  it('keeps what it serves when the next version cannot be served, and says so in the status', async () => {
    await object.create(spec('10.1.1.1'))
    await start()
    await answers('n0', '10.1.1.1')
    const networkConfig = { serverIP: '192.0.2.53', secondaryNetworkCIDR: '192.0.2.0/24' }
    await object.patch({ spec: { networkConfig, staticEntries: entries('10.1.1.2') } })
    const why = await until('the condition', async () => {
      const conditions = (await object.read()).status?.conditions
      const stated = Array.isArray(conditions) ? conditions.find(({ type }) => type === 'Applied') : undefined
      return stated?.status === 'False' ? stated : undefined
    })
    expect(why).toMatchObject({ reason: 'AddressMissing', message: expect.stringContaining('192.0.2.53') })
    await answers('n0', '10.1.1.1')
    expect(await servingGeneration()).toBe(1)
  })

  it('goes on after its object was deleted and says so; another of that name is served', async () => {
    await object.create(spec('10.1.1.1'))
    const { status } = bound(await start())
    await answers('n0', '10.1.1.1')
    await object.remove()
    const problem = await until('the problem', async () => (await status()).problems[0])
    expect(problem).toMatchObject({ reason: 'ObjectMissing', message: expect.stringContaining('was deleted') })
    await answers('n0', '10.1.1.1')
    await object.create(spec('10.1.1.9'))
    await answers('n0', '10.1.1.9')
    expect((await status()).problems).toEqual([])
  })

  it('waits for an object that comes later, and is not ready until then', async () => {
    const { ready, status } = bound(await start())
    await until('not ready', async () => ((await ready()).includes('nothing is served yet') ? true : undefined))
    const problem = await until('the problem', async () => (await status()).problems[0])
    expect(problem.message).toContain(`there is no DNSServer ${namespace}/example-dns`)
    await object.create(spec('10.1.1.1'))
    await answers('n0', '10.1.1.1')
  })

  it('serves on while the API server is frozen, starts from disk without it, and catches up', async () => {
    await object.create(spec('10.1.1.1'))
    const process = await start()
    await answers('n0', '10.1.1.1')
    await object.patch({ spec: { staticEntries: entries('10.1.1.5') } })
    await answers('n0', '10.1.1.5')
    await until('generation 2', async () => ((await servingGeneration()) === 2 ? true : undefined))
    plane().pause()
    try {
      await answers('n0', '10.1.1.5')
      await process.end('SIGKILL')
      process.spawn()
      await process.untilReady()
      await answers('n0', '10.1.1.5')
      const { problems } = await process.status()
      expect(problems).toMatchObject([
        { reason: 'ApiUnreachable', message: expect.stringContaining('the copy on disk') },
      ])
    } finally {
      plane().resume()
    }
    await object.patch({ spec: { staticEntries: entries('10.1.1.6') } })
    await answers('n0', '10.1.1.6', 60_000)
    await until('generation 3', async () => ((await servingGeneration()) === 3 ? true : undefined))
    expect((await process.status()).problems).toEqual([])
  })

  it('serves on through a restart of the API server and sees what changed meanwhile', async () => {
    await object.create(spec('10.1.1.1'))
    await start()
    await answers('n0', '10.1.1.1')
    await plane().restart('SIGKILL')
    await object.patch({ spec: { staticEntries: entries('10.1.1.7') } })
    await answers('n0', '10.1.1.7', 60_000)
    await until('generation 2', async () => ((await servingGeneration()) === 2 ? true : undefined))
  })

  it('needed every right that it has', async () => {
    const requests = (await plane().audit()).filter(({ user }) => user.endsWith(':example-dns'))
    expect(unusedRights(dnsRole, requests)).toEqual([])
  })

  it('has what other DNS servers need printed: a block for a Corefile, a patch where OpenShift is', async () => {
    await removeKinds(plane(), 'dnses.operator.openshift.io')
    await object.create(spec('10.1.1.1'))
    const program = join(import.meta.dirname, '..', '..', 'bin', 'oooi')
    const access = ['--kubeconfig', plane().admin.kubeconfigPath]
    const snippet = () => run(program, ['dns-forward-snippet', `${namespace}/example-dns`, ...access])
    await expect(snippet()).rejects.toThrow('has no Service yet')
    await object.patch({ status: { serviceClusterIP: '172.30.93.17' } }, '/status')
    expect(await snippet()).toContain(`${domain}:53 {\n    errors\n    cache 30\n    forward . 172.30.93.17\n}`)

    await installForeignKind(plane(), 'operator.openshift.io/v1', 'DNS', 'dnses', 'Cluster')
    const servers = [{ name: 'corp', zones: ['corp.example.org'] }]
    const operator = { apiVersion: 'operator.openshift.io/v1', kind: 'DNS', metadata: { name: 'default' } }
    await plane().kubectl(['apply', '-f', '-'], { input: JSON.stringify({ ...operator, spec: { servers } }) })
    const [, patch = ''] = /^oc patch dns.operator\/default --type=json -p '(.*)'$/m.exec(await snippet()) ?? []
    const apply = (text: string) =>
      plane().kubectl(['patch', 'dns.operator.openshift.io/default', '--type=json', '-p', text])
    await apply(patch)
    // Once more, when its own entry is there already.
    await apply((await snippet()).split("'")[1] ?? '')
    const told = await plane().kubectl(['get', 'dns.operator.openshift.io/default', '-o', 'json'])
    expect(JSON.parse(told).spec.servers).toEqual([
      ...servers,
      { name: 'example', zones: [domain], forwardPlugin: { policy: 'Sequential', upstreams: ['172.30.93.17'] } },
    ])
  })

  afterAll(() => engine?.[Symbol.asyncDispose]())
})

/** Its methods, for taking apart. */
function bound(engine: EngineProcess) {
  return {
    untilReady: () => engine.untilReady(),
    ready: () => engine.ready(),
    metric: (name: string) => engine.metric(name),
    status: () => engine.status(),
  }
}
