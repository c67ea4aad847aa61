import { createInterface } from 'node:readline'
import { dnsServerSchema } from '../../api/dnsserver.ts'
import { createLogger } from '../../runtime/observe/log.ts'
import { Metrics } from '../../runtime/observe/metrics.ts'
import { createDnsEngine } from './engine.ts'
import { answerTo, ScriptedUpstream } from './forward/scripted-upstream.ts'

/**
 * The engine as a process of its own, for tests that put it into a network namespace: each line of standard input is
 * a DNSServer to apply, each line of standard output says what came of it. The upstream it forwards to is inside too.
 */
const upstream = await ScriptedUpstream.start((query) => answerTo(query))
const engine = createDnsEngine({
  log: createLogger('warn', process.stderr),
  metrics: new Metrics(),
  now: Date.now,
  podAddresses: process.argv.slice(2),
})

for await (const line of createInterface(process.stdin)) {
  const resource = dnsServerSchema.parse(JSON.parse(line))
  const { address, port } = upstream.address
  const result = await engine.apply({ ...resource, spec: { ...resource.spec, upstreamDNS: [`${address}:${port}`] } })
  process.stdout.write(`${JSON.stringify(result)}\n`)
}
await engine.stop(0)
upstream.stop()
