import { mkdirSync, openSync } from 'node:fs'
import { createServer, connect as tcpConnect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { proxyServerSchema } from '../../../src/api/proxyserver.ts'
import { createEnvoyEngine } from '../../../src/engines/envoy/engine.ts'
import { freePort } from '../../../src/engines/proxy/testing/loopback.ts'
import { createLogger } from '../../../src/runtime/observe/log.ts'
import { Metrics } from '../../../src/runtime/observe/metrics.ts'
import type { Bench } from '../bench.ts'
import { percentile } from '../samples.ts'
import { clientHello } from './hello.ts'

const backendCount = 250
const namesPerBackend = 4
const changes = 100

/**
 * How long after a change of a ProxyServer with a thousand routes a client gets through by it: our encoding, the way to
 * Envoy, Envoy's own work, and the connection itself. Everything on loopback, at no particular core.
 */
export async function measureChanges(bench: Bench, program: string): Promise<string> {
  const directory = join(bench.directory, 'changes')
  mkdirSync(directory, { recursive: true })
  const target = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end('x'))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => target.once('listening', resolve))
  const targetPort = portOf(target)
  const port = await freePort()
  const engine = createEnvoyEngine({
    log: createLogger('silent', { write: () => {} }),
    metrics: new Metrics(),
    now: Date.now,
    podAddresses: [],
    stateDir: directory,
    program,
    outputFd: openSync(join(directory, 'envoy.log'), 'a'),
    isTargetAllowed: () => true,
    xdsPort: 0,
  })
  const latenciesMs: number[] = []
  try {
    await engine.apply(proxyWith(port, targetPort, 'start', 0))
    while (!engine.status().programmed) await sleep(20)
    for (let turn = 1; turn <= changes; turn++) {
      const name = `turn-${turn}.my-cluster.example.com`
      const hello = await clientHello(name)
      // Changes close to each other are told as one; here each is to stand alone.
      await sleep(120)
      const startedAtMs = performance.now()
      await engine.apply(proxyWith(port, targetPort, name, turn % backendCount))
      while (!(await getsThrough(port, hello))) await sleep(1)
      latenciesMs.push(performance.now() - startedAtMs)
    }
  } finally {
    await engine.stop(0)
    target.close()
  }
  const at = (share: number) => Math.round(percentile(latenciesMs, share))
  const routes = backendCount * namesPerBackend
  const text = `A name added to a ProxyServer with ${routes} routes led a client through Envoy after ${at(0.5)} ms, at the 99th percentile after ${at(0.99)} ms (${changes} changes, one after the other).`
  bench.say(text)
  return `\n${text}`
}

/** A thousand routes, one of them under a name of its own. */
function proxyWith(port: number, targetPort: number, name: string, at: number) {
  const backends = Array.from({ length: backendCount }, (_, index) => ({
    name: `backend-${index}`,
    hostname: index === at && name !== 'start' ? name : `b${index}.my-cluster.example.com`,
    alternateHostnames: Array.from({ length: namesPerBackend - 1 }, (_, other) => `b${index}-${other}.example.com`),
    port,
    targetAddress: '127.0.0.1',
    targetPort,
  }))
  return proxyServerSchema.parse({
    apiVersion: 'hostedcluster.densityops.com/v1alpha1',
    kind: 'ProxyServer',
    metadata: { name: 'changes' },
    spec: { networkConfig: { serverIP: '127.0.0.1' }, backends },
  })
}

function getsThrough(port: number, hello: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = tcpConnect(port, '127.0.0.1', () => socket.write(hello))
    const finish = (isThrough: boolean) => {
      socket.destroy()
      resolve(isThrough)
    }
    socket.once('data', () => finish(true))
    socket.once('error', () => finish(false))
    socket.once('close', () => finish(false))
  })
}

function portOf(server: ReturnType<typeof createServer>): number {
  const address = server.address()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}
