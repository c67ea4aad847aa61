import { apiVersion } from '../../api/meta.ts'
import { type ProxyServer, type ProxyServerInput, proxyServerSchema } from '../../api/proxyserver.ts'

export type BackendInput = ProxyServerInput['spec']['backends'][number]

/** A backend for tests: `name`, and what matters to the test. */
export function backend(name: string, fields: Partial<BackendInput> = {}): BackendInput {
  const target = fields.targetService === undefined ? { targetAddress: '192.0.2.10' } : {}
  return { name, hostname: `${name}.example.com`, port: 443, targetPort: 6443, ...target, ...fields }
}

export interface ProxyInput {
  readonly backends: BackendInput[]
  readonly serverIP?: string
  readonly generation?: number
  readonly status?: ProxyServerInput['status']
}

/** A ProxyServer with its defaults, as a source would hand it over. */
export function proxyServer({ backends, serverIP = '192.168.100.4', generation = 1, status }: ProxyInput): ProxyServer {
  return proxyServerSchema.parse({
    apiVersion,
    kind: 'ProxyServer',
    metadata: { name: 'c1-proxy', generation },
    spec: { networkConfig: { serverIP }, backends },
    status,
  })
}
