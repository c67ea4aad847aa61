import { answerTo, ScriptedUpstream } from '../../../src/engines/dns/forward/scripted-upstream.ts'
import { formatUpstream } from '../../../src/engines/dns/forward/upstream-address.ts'
import { startControlPlane } from '../../envtest/controlplane.ts'
import { changeRepeatedly } from '../../envtest/dns-changes.ts'
import { installKinds } from '../../envtest/installed-kinds.ts'
import { EngineProcess, podUser, stateDirectory, WitnessedObject } from '../../envtest/pod-kit.ts'
import { freePorts } from '../../envtest/ports.ts'
import { percentile } from '../samples.ts'
import { clusterDomain } from './zone.ts'

const changes = 200
const address = '127.77.1.53'

/** How long a change of a DNSServer takes from `kubectl` to the answer, as the engine runs in its pod; one sentence. */
export async function measureChanges(): Promise<string> {
  await using plane = await startControlPlane()
  await installKinds(plane)
  const namespace = await plane.newNamespace('bench')
  const upstream = await ScriptedUpstream.start((asked) => answerTo(asked))
  const object = new WitnessedObject(plane, 'DNSServer', namespace, 'bench-dns')
  const [port = 0] = await freePorts(1)
  const entries = (ip: string) => [
    { hostname: `changed.${clusterDomain}`, ip },
    { hostname: `steady.${clusterDomain}`, ip: '10.9.9.9' },
  ]
  await object.create({
    networkConfig: { serverIP: address, proxyIP: '127.77.1.10', networkAttachmentName: 'vlan', dnsPort: port },
    hostedClusterDomain: clusterDomain,
    staticEntries: entries('10.1.1.1'),
    upstreamDNS: [formatUpstream(upstream.address)],
  })
  await using state = await stateDirectory()
  const user = await podUser(plane, 'DNSServer', namespace, 'bench-dns')
  await using engine = await EngineProcess.start(['dns', '--resource', `${namespace}/bench-dns`], user, state.path)
  await engine.untilReady()
  const { milliseconds, asked, lost } = await changeRepeatedly({
    server: { address, port },
    changed: `changed.${clusterDomain}`,
    steady: `steady.${clusterDomain}`,
    foreign: 'kept.example.net',
    count: changes,
    apply: (ip) => object.patch({ spec: { staticEntries: entries(ip) } }),
  })
  const forwarded = upstream.queries.filter(({ questions }) => questions?.[0]?.name === 'kept.example.net').length
  upstream.stop()
  const at = (share: number) => `${Math.round(percentile(milliseconds, share))} ms`
  return `${changes} changes of a DNSServer, one after the other, on a real API server: from the call to the API until the new answer ${at(0.5)} (median), ${at(0.99)} (99 %); of ${asked} other questions meanwhile ${lost} got no answer, and the foreign name among them was fetched ${forwarded === 1 ? 'once' : `${forwarded} times`}.`
}
