import { expect, test } from 'vitest'
import { proxyBackend } from '../../api/proxyserver.ts'
import { pathsOf } from './paths.ts'

const backend = (name: string, hostname: string, more: object = {}) =>
  proxyBackend.parse({
    name,
    hostname,
    port: 443,
    targetService: name,
    targetNamespace: 'c1',
    targetPort: 443,
    ...more,
  })

test('every published name that anybody on the VLAN can reach by TLS', () => {
  const backends = [
    backend('kube-apiserver', 'api.c1.example.com', { port: 6443 }),
    backend('kube-apiserver-internal', 'api-int.c1.example.com', { port: 6443 }),
    backend('kube-apiserver-kubernetes-hostname-6443', 'kubernetes.c1.example.com', { port: 6443 }),
    backend('ignition-server', 'ignition.c1.example.com'),
    backend('apps-https', '*.apps.c1.example.com'),
    backend('plain', 'mirror.c1.example.com', { protocol: 'HTTP' }),
    backend('guarded', 'guarded.c1.example.com', { allowedSourceCIDRs: ['10.0.0.0/8'] }),
  ]
  expect(pathsOf(backends)).toEqual([
    { hostname: 'api.c1.example.com', port: 6443 },
    { hostname: 'ignition.c1.example.com', port: 443 },
  ])
})
