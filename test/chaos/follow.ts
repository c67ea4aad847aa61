import { Informer, type InformerOptions } from '../../src/runtime/cache/informer.ts'
import { KubeClient } from '../../src/runtime/kube/client.ts'
import { type ConfigMap, configMap } from '../../src/runtime/kube/kinds.ts'
import { Transport } from '../../src/runtime/kube/transport.ts'
import { createLogger } from '../../src/runtime/observe/log.ts'
import { hurriedClock } from './hurried-clock.ts'
import { ScriptedServer } from './scripted-server.ts'

export const silentLog = createLogger('silent', { write: () => undefined })

/** An informer of ConfigMaps on a scripted server, on a clock that runs fifty times as fast. */
export interface Follower extends AsyncDisposable {
  readonly server: ScriptedServer
  readonly client: KubeClient
  readonly informer: Informer<ConfigMap>
  /** What the informer told, as `added a`, `updated a`, `deleted a`. */
  readonly told: string[]
  /** Waits until the informer has exactly these objects, as `name=value of data.v`. */
  until(...objects: string[]): Promise<void>
}

/** `callTimeoutMs` on that clock; by default long, so that a busy machine is not taken for a dead server. */
export async function follow({
  callTimeoutMs = 300_000,
  ...options
}: Partial<InformerOptions<ConfigMap>> & { callTimeoutMs?: number } = {}): Promise<Follower> {
  const server = await new ScriptedServer().start()
  const clock = hurriedClock(50)
  const transport = new Transport(server.access, { clock, random: Math.random, userAgent: 'test', callTimeoutMs })
  const client = new KubeClient(transport, 'test')
  const log = silentLog
  const informer = new Informer({ client, kind: configMap, clock, random: Math.random, log, ...options })
  const told: string[] = []
  informer.onChange((change) => told.push(`${change.type} ${change.object.metadata.name}`))
  const contents = (): string =>
    [...informer.objects.list()]
      .map(({ metadata, data }) => `${metadata.name}=${data?.v ?? ''}`)
      .sort()
      .join(' ')
  return {
    server,
    client,
    informer,
    told,
    async until(...objects) {
      const wanted = objects.toSorted().join(' ')
      await eventually(
        () => informer.hasSynced && contents() === wanted,
        () => `has [${contents()}], wanted [${wanted}]`,
      )
    },
    async [Symbol.asyncDispose]() {
      await informer.stop()
      await transport.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** Waits for something that comes by itself; the limit is far beyond what it takes, and only ends a test that fails. */
export async function eventually(
  isSo: () => boolean | Promise<boolean>,
  state: () => string,
  limitMs = 60_000,
): Promise<void> {
  const end = performance.now() + limitMs
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`It did not come so: ${state()}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
