import type { ProxyServer } from '../../../api/proxyserver.ts'
import { type BackendInput, proxyServer } from '../../../core/proxy/testing.ts'
import type { Result } from '../../../core/result.ts'
import { createLogger } from '../../../runtime/observe/log.ts'
import { Metrics } from '../../../runtime/observe/metrics.ts'
import type { Engine } from '../../engine.ts'
import { createProxyEngine, type ProxyEngineOptions, type ProxyEngineStatus } from '../engine.ts'
import { freePort } from './loopback.ts'

export const vlanAddress = '127.0.0.1'
export const podAddress = '127.0.0.2'

/** A proxy on loopback, with its log and its metrics to look at. Targets may be on loopback too. */
export class ProxyFixture {
  readonly engine: Engine<ProxyServer, ProxyEngineStatus>
  readonly metrics = new Metrics()
  readonly logLines: Record<string, unknown>[] = []
  #generation = 0

  constructor(options: Partial<ProxyEngineOptions> = {}) {
    const log = createLogger('debug', { write: (line: string) => this.logLines.push(JSON.parse(line)) })
    this.engine = createProxyEngine({
      log,
      metrics: this.metrics,
      now: Date.now,
      podAddresses: [],
      isTargetAllowed: () => true,
      ...options,
    })
  }

  apply(backends: BackendInput[], serverIP = vlanAddress): Promise<Result<void>> {
    this.#generation += 1
    return this.engine.apply(proxyServer({ backends, serverIP, generation: this.#generation }))
  }

  /** The lines of the access log. */
  get connections(): Record<string, unknown>[] {
    return this.logLines.filter((line) => line.msg === 'connection')
  }

  async metric(start: string): Promise<string[]> {
    const { body } = await this.metrics.expose()
    return body.split('\n').filter((line) => line.startsWith(start))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine.stop(0)
  }
}

/** A backend on loopback. */
export function backendTo(
  name: string,
  port: number,
  targetPort: number,
  more: Partial<BackendInput> = {},
): BackendInput {
  return { name, hostname: `${name}.example.com`, port, targetAddress: '127.0.0.1', targetPort, ...more }
}

/** A proxy with these options and one backend `echo`, which is also the default if `isDefault`. */
export async function proxyTo(
  targetPort: number,
  options: Partial<ProxyEngineOptions> & { readonly backend?: Partial<BackendInput> } = {},
): Promise<{ readonly proxy: ProxyFixture; readonly port: number }> {
  const { backend, ...engineOptions } = options
  const proxy = new ProxyFixture(engineOptions)
  const port = await freePort()
  const result = await proxy.apply([backendTo('echo', port, targetPort, backend)])
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return { proxy, port }
}
