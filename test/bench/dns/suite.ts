import { findTool } from '../../../src/lab/host/tools.ts'
import { findCoredns } from '../../../tools/coredns/coredns.ts'
import { type Bench, makeIsland, type Suite, type SuiteResult } from '../bench.ts'
import { runPlan } from '../harness.ts'
import { bring } from '../peers/packages.ts'
import { ownVersion, versionOf } from '../peers/version.ts'
import { measureChanges } from './changes.ts'
import { dnsMeasures } from './load.ts'
import { coredns, type DnsContender, knot, oooi, startUpstream } from './servers.ts'

const address = {
  oooi: '10.77.0.1',
  oooiPod: '10.77.1.1',
  knot: '10.77.0.2',
  coredns: '10.77.0.3',
  corednsPlain: '10.77.0.4',
  upstream: '10.77.0.5',
}

const method = `Every server answers the zone of a hosted cluster (five names, a wildcard) from one core and one thread; dnsperf
keeps 100 questions under way over 10 sockets. The mix: 40 % A, 20 % AAAA without data, 30 % below the wildcard, 10 %
names that do not exist. Ours has both views, metrics and forwarding on. Foreign names are forwarded to a Knot that
shares the core of the load; "cached" asks the same thousand again and again, "not cached" never the same twice.`

export const dnsSuite: Suite = {
  name: 'dns',
  about: 'authoritative over UDP and TCP, forwarded: beside Knot and CoreDNS',
  async run(bench: Bench): Promise<SuiteResult> {
    await bring(
      [
        { command: 'dnsperf', package: 'dnsperf' },
        { command: 'knotd', package: 'knot' },
      ],
      bench.say,
    )
    if (!findTool('dnsperf') || !findTool('knotd')) throw new Error('the dns suite needs dnsperf and knot')
    const namespace = await makeIsland(bench, Object.values(address))
    const at = (where: string) => ({ bench, namespace, address: where })
    const ours = oooi(at(address.oooi), await ownVersion(), address.oooiPod, address.upstream)
    const knotPeer = knot(at(address.knot), await versionOf('knotd', ['--version']))
    const { peers, leftOut } = await corednsPeers(bench, at)
    const servers = [ours, knotPeer, ...peers]
    const upstream = await startUpstream(at(address.upstream))
    const measures = dnsMeasures(bench, namespace, servers, [ours, ...peers.slice(0, 1)])
    const results = await runPlan({ measures, loadPids: upstream.pids }, bench.pace, bench.say)
    const changes = await measureChanges()
    bench.say(changes)
    const dnsperf = { name: 'dnsperf', version: await versionOf('dnsperf', ['-h'], /Version ([\d.]+)/) }
    return { method: `${method}\n\n- ${changes}`, contenders: [...servers, dnsperf], leftOut, measures: results }
  },
}

/** Twice, as its metrics cost it a third; none where it cannot be had. */
async function corednsPeers(
  bench: Bench,
  at: (address: string) => { bench: Bench; namespace: string; address: string },
): Promise<{ peers: DnsContender[]; leftOut: SuiteResult['leftOut'] }> {
  try {
    const program = await findCoredns(process.env)
    const version = await versionOf(program, ['-version'])
    const peers = [
      coredns(at(address.coredns), program, version, address.upstream, true),
      coredns(at(address.corednsPlain), program, version, address.upstream, false),
    ]
    return { peers, leftOut: [] }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    bench.say(`without CoreDNS: ${why}`)
    return { peers: [], leftOut: [{ name: 'CoreDNS', why }] }
  }
}
