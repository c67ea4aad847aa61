import { proxyServer } from '../../core/proxy/testing.ts'
import { createLogger } from '../../runtime/observe/log.ts'
import { Metrics } from '../../runtime/observe/metrics.ts'
import { createProxyEngine } from './engine.ts'
import { backendTo } from './testing/proxy-fixture.ts'

/** A proxy in a process of its own, so that its memory can be told from that of its clients: `<port> <target port>`. */
const [port = 0, targetPort = 0] = process.argv.slice(2).map(Number)
const log = createLogger('silent', { write: () => {} })
const engine = createProxyEngine({
  log,
  metrics: new Metrics(),
  now: Date.now,
  podAddresses: [],
  isTargetAllowed: () => true,
})
const served = await engine.apply(
  proxyServer({ serverIP: '127.0.0.1', backends: [backendTo('echo', port, targetPort)] }),
)
process.stdout.write(served.ok ? 'serving\n' : JSON.stringify(served.problems))
process.on('message', () => process.send?.(engine.status().openConnections))
