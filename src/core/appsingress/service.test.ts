import { expect, test } from 'vitest'
import { desiredService, isServiceOf, ownerAnnotation } from './service.ts'
import { testRequest } from './testing.ts'

test('the Service of an Infra that says no more than needed', () => {
  expect(desiredService(testRequest(), 'metallb.io/metallb')).toEqual({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'oooi-ingress',
      namespace: 'openshift-ingress',
      labels: { 'app.kubernetes.io/name': 'oooi', 'app.kubernetes.io/managed-by': 'oooi' },
      annotations: { 'metallb.io/address-pool': 'apps', [ownerAnnotation]: 'Infra tenant/c1' },
    },
    spec: {
      type: 'LoadBalancer',
      loadBalancerClass: 'metallb.io/metallb',
      allocateLoadBalancerNodePorts: false,
      externalTrafficPolicy: 'Cluster',
      ipFamilyPolicy: 'SingleStack',
      ipFamilies: ['IPv4'],
      selector: { 'ingresscontroller.operator.openshift.io/deployment-ingresscontroller': 'default' },
      ports: [
        { name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' },
        { name: 'https', port: 443, targetPort: 'https', protocol: 'TCP' },
      ],
    },
  })
})

test('every field of the user is there, but none takes the place of ours', () => {
  const service = desiredService(
    testRequest({
      ports: { http: 8080, https: 8443 },
      service: {
        name: 'shard',
        namespace: 'ingress',
        labels: { team: 'a', 'app.kubernetes.io/managed-by': 'me' },
        annotations: { 'metallb.universe.tf/address-pool': 'apps', [ownerAnnotation]: 'me' },
        selector: { router: 'shard' },
        loadBalancerIP: '192.168.100.245',
      },
    }),
    undefined,
  )
  expect(service.metadata).toEqual({
    name: 'shard',
    namespace: 'ingress',
    labels: { team: 'a', 'app.kubernetes.io/name': 'oooi', 'app.kubernetes.io/managed-by': 'oooi' },
    annotations: {
      'metallb.universe.tf/address-pool': 'apps',
      'metallb.io/address-pool': 'apps',
      'metallb.io/loadBalancerIPs': '192.168.100.245',
      [ownerAnnotation]: 'Infra tenant/c1',
    },
  })
  expect(service.spec).toMatchObject({ selector: { router: 'shard' }, ports: [{ port: 8080 }, { port: 8443 }] })
  expect(service.spec).not.toHaveProperty('loadBalancerClass')
  expect(isServiceOf(service.metadata, 'Infra tenant/c1')).toBe(true)
  expect(isServiceOf(service.metadata, 'Infra tenant/c2')).toBe(false)
})
