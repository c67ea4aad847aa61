import { createSocket, type Socket } from 'node:dgram'
import { decode } from 'dns-packet'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { DNSServer, DNSServerInput } from '../../api/dnsserver.ts'
import { createLogger } from '../../runtime/observe/log.ts'
import { Metrics } from '../../runtime/observe/metrics.ts'
import type { Engine } from '../engine.ts'
import { createDnsEngine, type DnsEngineOptions, type DnsEngineStatus } from './engine.ts'
import { answerTo, type Script, ScriptedUpstream } from './forward/scripted-upstream.ts'
import { formatUpstream } from './forward/upstream-address.ts'
import { dnsServer, domain, outcome, query, rcodeOf, type SpecPatch } from './testing.ts'

type DnsEngine = Engine<DNSServer, DnsEngineStatus>

/** The machine may be busy: what has to come may take its time. */
vi.setConfig({ testTimeout: 60_000 })
const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 20_000 })

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

const vlanAddress = '127.0.53.1'
const podAddress = '127.0.53.2'

function engine(options: Partial<DnsEngineOptions> = {}): { dns: DnsEngine; metrics: Metrics; logs: string[] } {
  const metrics = new Metrics()
  const logs: string[] = []
  const log = createLogger('info', { write: (line) => logs.push(line) })
  const context = { log, metrics, now: Date.now, podAddresses: [podAddress], retryAfterMs: 100 }
  const dns = createDnsEngine({ ...context, readResolvConf: async () => '', ...options })
  stops.push(() => dns.stop(0))
  return { dns, metrics, logs }
}

/** On loopback, and on any free port, which a manifest could not ask for. */
function resource(patch: SpecPatch = {}, status?: DNSServerInput['status'], generation = 1): DNSServer {
  const networkConfig = { serverIP: vlanAddress, ...patch.networkConfig }
  const made = dnsServer({ ...patch, networkConfig }, status, generation)
  return { ...made, spec: { ...made.spec, networkConfig: { ...made.spec.networkConfig, dnsPort: 0 } } }
}

async function upstream(script: Script): Promise<ScriptedUpstream> {
  const started = await ScriptedUpstream.start(script)
  stops.push(() => started.stop())
  return started
}

/** A client with one socket, which matches replies by their ids. */
class Client {
  readonly #socket: Socket = createSocket('udp4')
  readonly #waiting = new Map<number, (reply: Buffer) => void>()
  #id = 0

  constructor() {
    this.#socket.on('message', (reply) => this.#waiting.get(reply.readUInt16BE(0))?.(reply))
    stops.push(() => this.#socket.close())
  }

  ask(dns: DnsEngine, address: string, name: string, type = 'A'): Promise<Buffer> {
    const port = dns.status().listeners.find((listener) => listener.address === address)?.port ?? 9
    this.#id = (this.#id + 1) & 0xffff
    const id = this.#id
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      this.#socket.send(query(name, type, { id }), port, address)
    })
  }

  async outcome(dns: DnsEngine, address: string, name: string, type = 'A') {
    return outcome(await this.ask(dns, address, name, type))
  }
}

describe('the engine', () => {
  it('serves both views at once, each at its own address', async () => {
    const { dns, metrics } = engine()
    const client = new Client()
    expect(await dns.apply(resource())).toEqual({ ok: true, value: undefined })
    const answers = await Promise.all(
      [vlanAddress, podAddress].map((address) => client.outcome(dns, address, `api.${domain}`)),
    )
    expect(answers.map(({ answers: [first] }) => first)).toEqual([
      `api.${domain} A 192.168.100.10`,
      `api.${domain} A 172.30.0.10`,
    ])
    expect(dns.status()).toMatchObject({
      servingGeneration: 1,
      queries: 2,
      listeners: [
        { address: vlanAddress, view: 'vlan' },
        { address: podAddress, view: 'pod' },
      ],
    })
    const { body } = await metrics.expose()
    expect(body).toContain('oooi_dns_queries_total{view="pod",type="A",rcode="NOERROR"} 1')
  })

  it('has one view where there is no pod network', async () => {
    const { dns } = engine({ podAddresses: [] })
    await dns.apply(resource())
    expect(dns.status().listeners.map(({ view }) => view)).toEqual(['vlan'])
  })

  it('changes its records without losing a query, and keeps its sockets', async () => {
    const { dns } = engine()
    const client = new Client()
    const withVm = (index: number) => ({
      resolved: { records: [{ hostname: `vm.${domain}`, addresses: [`192.168.100.${index}`] }] },
    })
    await dns.apply(resource({}, withVm(1)))
    const { port } = dns.status().listeners[0] ?? {}
    const replies: Promise<Buffer>[] = []
    for (let index = 2; index < 60; index++) {
      replies.push(...['vm', 'api', 'x.apps'].map((name) => client.ask(dns, vlanAddress, `${name}.${domain}`)))
      const staticEntries = [
        { hostname: `api.${domain}`, ip: '192.168.100.10', ttl: index },
        { hostname: `*.apps.${domain}`, ip: '192.168.100.50' },
      ]
      await dns.apply(resource(index % 2 === 0 ? {} : { staticEntries }, withVm(index), index))
      const newest = await client.outcome(dns, vlanAddress, `vm.${domain}`)
      expect(newest.answers).toEqual([`vm.${domain} A 192.168.100.${index}`])
    }
    const outcomes = (await Promise.all(replies)).map(outcome)
    expect(outcomes.every(({ rcode, answers }) => rcode === 'NOERROR' && answers.length === 1)).toBe(true)
    expect(dns.status()).toMatchObject({ servingGeneration: 59, listeners: [{ port }, {}] })
  })

  it.each([
    ['an address that is not there', { networkConfig: { serverIP: '203.0.113.9' } }, 'AddressMissing'],
    ['no address', { networkConfig: { serverIP: undefined } }, 'InvalidField'],
  ])('%s: the version before it is served on', async (_text, patch, reason) => {
    const { dns } = engine()
    await dns.apply(resource())
    const before = dns.status()
    const bad = resource({ ...patch, hostedClusterDomain: 'other.test' }, undefined, 2)
    expect(await dns.apply(bad)).toMatchObject({ ok: false, problems: [{ reason }] })
    expect(dns.status()).toEqual(before)
    const { answers } = await new Client().outcome(dns, vlanAddress, `api.${domain}`)
    expect(answers).toHaveLength(1)
  })

  it('says that a port is taken, and serves when it is free', async () => {
    const other = engine({ podAddresses: [] })
    await other.dns.apply(resource())
    const port = other.dns.status().listeners[0]?.port ?? 0
    const taken = resource()
    const wanted = { ...taken, spec: { ...taken.spec, networkConfig: { ...taken.spec.networkConfig, dnsPort: port } } }
    const { dns } = engine({ podAddresses: [] })
    expect(await dns.apply(wanted)).toMatchObject({
      problems: [
        {
          reason: 'PortInUse',
          message: expect.stringContaining(
            `The DNS server cannot listen on ${vlanAddress} port ${port}: another program does`,
          ),
        },
      ],
    })
    expect(dns.status().servingGeneration).toBeUndefined()
    await other.dns.stop(0)
    expect((await dns.apply(wanted)).ok).toBe(true)
  })

  it('logs queries when the manifest wants it, and stops when it does not any more', async () => {
    const { dns, logs } = engine()
    const client = new Client()
    const queries = () => logs.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'query')
    await dns.apply(resource({ queryLog: true }))
    await client.ask(dns, podAddress, `api.${domain}`)
    expect(queries()).toMatchObject([{ client: '127.0.0.1', view: 'pod', name: `api.${domain}.`, rcode: 'NOERROR' }])
    await dns.apply(resource())
    await client.ask(dns, podAddress, `api.${domain}`)
    expect(queries()).toHaveLength(1)
  })

  it('takes upstreams over TLS', async () => {
    const { dns } = engine()
    await dns.apply(resource({ upstreamDNS: ['tls://127.0.0.1#dns.example.com'] }))
    expect(dns.status().upstreams.map(({ address }) => address)).toEqual(['tls://127.0.0.1:853#dns.example.com'])
  })

  it('moves to another address', async () => {
    const { dns } = engine()
    await dns.apply(resource())
    await dns.apply(resource({ networkConfig: { serverIP: '127.0.53.7' } }))
    expect(dns.status().listeners.map(({ address }) => address)).toEqual(['127.0.53.7', podAddress])
    expect((await new Client().outcome(dns, '127.0.53.7', `api.${domain}`)).rcode).toBe('NOERROR')
  })
})

describe('names that are not ours', () => {
  it('are asked of the upstreams and cached, with the TTL counting for both views', async () => {
    const server = await upstream((asked) => answerTo(asked))
    const { dns } = engine()
    const client = new Client()
    await dns.apply(resource({ upstreamDNS: [formatUpstream(server.address)], cacheTTL: '5m' }))
    const first = await client.outcome(dns, vlanAddress, 'www.example.net')
    expect(first).toMatchObject({ rcode: 'NOERROR', authoritative: false, answers: ['www.example.net A 192.0.2.1'] })
    await client.ask(dns, podAddress, 'WWW.example.net')
    expect(server.queries).toHaveLength(1)
    await dns.apply(resource({ upstreamDNS: [formatUpstream(server.address)], hostedClusterDomain: 'c2.test' }))
    await client.ask(dns, podAddress, 'www.example.net')
    expect(server.queries).toHaveLength(1)
  })

  it('go to the resolvers of the host if the manifest names none; they are read again', async () => {
    const [one, two] = [await upstream((asked) => answerTo(asked)), await upstream((asked) => answerTo(asked))]
    let text = 'nameserver 127.0.0.1\n'
    const { dns } = engine({ readResolvConf: async () => text })
    await dns.apply(resource({ reloadInterval: '1s' }))
    expect(dns.status().upstreams.map(({ address }) => address)).toEqual(['127.0.0.1:53'])
    text = 'nameserver 127.0.0.9\n'
    await eventually(() => dns.status().upstreams[0]?.address).toBe('127.0.0.9:53')
    const both = [formatUpstream(one.address), 'resolv.conf', formatUpstream(two.address)]
    await dns.apply(resource({ upstreamDNS: both }))
    expect(dns.status().upstreams.map(({ address }) => address)).toEqual([both[0], '127.0.0.9:53', both[2]])
  })

  it('fail, while ours are answered, when the host has no resolvers', async () => {
    const { dns, logs } = engine({
      readResolvConf: async () => {
        throw new Error('ENOENT')
      },
    })
    const client = new Client()
    expect((await dns.apply(resource())).ok).toBe(true)
    expect(rcodeOf(decode(await client.ask(dns, vlanAddress, 'www.example.net')))).toBe('SERVFAIL')
    expect((await client.outcome(dns, vlanAddress, `api.${domain}`)).rcode).toBe('NOERROR')
    expect(logs.join()).toContain('resolvers of this host cannot be read')
    expect(dns.status().problems).toMatchObject([{ reason: 'UpstreamsUnreachable' }])
    await dns.apply(resource({ forwarding: { enabled: false } }))
    expect(dns.status().problems).toEqual([])
  })

  it('are not asked of an upstream that leads back here', async () => {
    const { dns, logs } = engine()
    const relay = createSocket('udp4')
    stops.push(() => relay.close())
    await new Promise<void>((resolve) => relay.bind(0, '127.0.0.1', resolve))
    relay.on('message', (packet) => {
      const port = dns.status().listeners[0]?.port
      if (port !== undefined) relay.send(packet, port, vlanAddress)
    })
    await dns.apply(resource({ upstreamDNS: [`127.0.0.1:${relay.address().port}`] }))
    await eventually(() => dns.status().upstreams[0]).toMatchObject({ healthy: false, lastError: 'loop' })
    expect(logs.join()).toContain('leads back to this server')
    expect((await new Client().outcome(dns, vlanAddress, 'www.example.net')).rcode).toBe('SERVFAIL')
  })

  it('of the cluster it runs in are refused to the VLAN', async () => {
    const server = await upstream((asked) => answerTo(asked))
    const { dns } = engine({ clusterNetworks: ['10.128.0.0/14', '172.30.0.0/16'] })
    const client = new Client()
    await dns.apply(resource({ upstreamDNS: [formatUpstream(server.address)] }))
    for (const name of [
      'x.svc.cluster.local',
      '5.0.129.10.in-addr.arpa',
      '10.0.30.172.in-addr.arpa',
      '2.53.0.127.in-addr.arpa',
    ]) {
      expect((await client.outcome(dns, vlanAddress, name)).rcode).toBe('REFUSED')
      expect((await client.outcome(dns, podAddress, name)).rcode).toBe('NOERROR')
    }
  })
})

describe('an internal proxy that is a name', () => {
  it('fails on the pod network until it resolves, then is answered with its addresses', async () => {
    const server = await upstream((asked) => answerTo(asked, { flags: 0x0183, addresses: [] }))
    const { dns, logs } = engine()
    const client = new Client()
    await dns.apply(
      resource({
        networkConfig: { internalProxyIP: 'proxy.inside.test' },
        upstreamDNS: [formatUpstream(server.address)],
      }),
    )
    expect((await client.outcome(dns, podAddress, `api.${domain}`)).rcode).toBe('SERVFAIL')
    expect(dns.status()).toMatchObject({ internalProxyKnown: false, problems: [{ reason: 'InternalProxyUnresolved' }] })
    await eventually(() => logs.join()).toContain('does not resolve')
    server.script = (asked) => answerTo(asked, { addresses: ['172.30.0.44'] })
    await eventually(() => dns.status().internalProxyKnown).toBe(true)
    expect((await client.outcome(dns, podAddress, `api.${domain}`)).answers).toEqual([`api.${domain} A 172.30.0.44`])
  })
})

describe('when it is stopped', () => {
  it('a question under way is still answered', async () => {
    let release = () => {}
    const server = await upstream(() => undefined)
    const { dns } = engine()
    const client = new Client()
    await dns.apply(resource({ upstreamDNS: [formatUpstream(server.address)] }))
    server.script = (asked) => {
      release = () => {
        server.script = (again) => answerTo(again)
      }
      return asked.id === undefined ? undefined : []
    }
    const reply = client.ask(dns, vlanAddress, 'www.example.net')
    await eventually(() => server.queries.length).toBeGreaterThan(0)
    const stopped = dns.stop(5000)
    release()
    expect(rcodeOf(decode(await reply))).toBe('NOERROR')
    await stopped
    expect(dns.status().listeners).toEqual([])
  })
})
