import { expect, test } from 'vitest'
import type { ProxyBackend } from '../../api/proxyserver.ts'
import { resolveBackend, type ServiceView, type SliceView } from './targets.ts'

const backend = { name: 'api', targetService: 'kas', targetNamespace: 'cp', targetPort: 443 } as ProxyBackend
const service: ServiceView = { spec: { clusterIP: '10.0.0.1', ports: [{ name: 'https', port: 443 }] } }

function resolve(found: ServiceView | undefined, slices: SliceView[]) {
  return resolveBackend(backend, { serviceOf: () => found, slicesOf: () => slices })
}

test('ready pods at the port that the Service means', () => {
  const ready = { addresses: ['10.1.0.9', '10.1.0.10'], conditions: { ready: true } }
  const unready = { addresses: ['10.1.0.8'], conditions: { ready: false } }
  const ports = [
    { name: 'metrics', port: 9 },
    { name: 'https', port: 8443 },
  ]
  const slices = [{ endpoints: [ready, unready], ports }, { endpoints: null, ports: null }, {}]
  expect(resolve(service, slices)).toEqual({
    backend: {
      name: 'api',
      clusterIP: '10.0.0.1',
      endpoints: [
        { address: '10.1.0.10', port: 8443 },
        { address: '10.1.0.9', port: 8443 },
      ],
    },
  })
  expect(resolve(service, slices.toReversed())).toEqual(resolve(service, slices))
})

test('an address or a name that the backend gives itself', () => {
  const world = { serviceOf: () => undefined, slicesOf: () => [] }
  const at = (targetAddress: string) =>
    resolveBackend({ name: 'x', targetAddress, targetPort: 443 } as ProxyBackend, world)
  expect(at('192.0.2.7')).toEqual({ backend: { name: 'x', endpoints: [{ address: '192.0.2.7', port: 443 }] } })
  expect(at('apps.example.com')).toEqual({ backend: { name: 'x', targetName: 'apps.example.com' } })
})

test('what is missing is named', () => {
  expect(resolve(undefined, []).missing).toBe('there is no Service cp/kas')
  expect(resolve({ spec: { ports: [{ port: 80 }] } }, []).missing).toBe('Service cp/kas has no port 443')
  expect(resolve(service, []).missing).toBe('Service cp/kas has no ready pod')
  expect(resolve({ spec: { ...service.spec, clusterIP: 'None' } }, []).backend).toEqual({ name: 'api', endpoints: [] })
})
