import type { DHCPLeaseInput } from '../dhcplease.ts'
import type { DHCPServerInput } from '../dhcpserver.ts'
import type { DNSServerInput } from '../dnsserver.ts'
import type { InfraInput } from '../infra.ts'
import type { InfraClusterAttachmentInput } from '../infraclusterattachment.ts'
import { apiVersion } from '../meta.ts'
import type { ProxyServerInput } from '../proxyserver.ts'
import type { VirtualIngressInput } from '../virtualingress.ts'

/** One sound manifest of each kind, for tests to spoil. */

const infra: InfraInput = {
  apiVersion,
  kind: 'Infra',
  metadata: { name: 'c1', namespace: 'clusters' },
  spec: {
    networkConfig: { cidr: '192.168.100.0/24', gateway: '192.168.100.1', networkAttachmentDefinition: 'vlan100' },
    infraComponents: {
      dhcp: { serverIP: '192.168.100.2', rangeStart: '192.168.100.100', rangeEnd: '192.168.100.200' },
      dns: { serverIP: '192.168.100.3', clusterName: 'c1', baseDomain: 'example.com' },
      proxy: { serverIP: '192.168.100.10' },
    },
    appsIngress: { enabled: true, address: '192.168.100.240' },
  },
}

const dhcpServer: DHCPServerInput = {
  apiVersion,
  kind: 'DHCPServer',
  metadata: { name: 'c1-dhcp' },
  spec: {
    networkConfig: { cidr: '192.168.100.0/24', gateway: '192.168.100.1', serverIP: '192.168.100.2' },
    leaseConfig: { rangeStart: '192.168.100.100', rangeEnd: '192.168.100.200' },
  },
}

const dnsServer: DNSServerInput = {
  apiVersion,
  kind: 'DNSServer',
  metadata: { name: 'c1-dns' },
  spec: {
    networkConfig: {
      serverIP: '192.168.100.3',
      proxyIP: '192.168.100.10',
      secondaryNetworkCIDR: '192.168.100.0/24',
    },
    hostedClusterDomain: 'c1.example.com',
  },
}

const proxyServer: ProxyServerInput = {
  apiVersion,
  kind: 'ProxyServer',
  metadata: { name: 'c1-proxy' },
  spec: {
    networkConfig: { serverIP: '192.168.100.10' },
    backends: [
      {
        name: 'kube-apiserver',
        hostname: 'api.c1.example.com',
        port: 6443,
        targetAddress: '10.0.0.1',
        targetPort: 6443,
      },
    ],
  },
}

const infraClusterAttachment: InfraClusterAttachmentInput = {
  apiVersion,
  kind: 'InfraClusterAttachment',
  metadata: { name: 'c2' },
  spec: {
    infraRef: { name: 'c1' },
    hostedClusterRef: { name: 'c2' },
    dns: { clusterName: 'c2', baseDomain: 'example.com' },
  },
}

const dhcpLease: DHCPLeaseInput = {
  apiVersion,
  kind: 'DHCPLease',
  metadata: { name: 'c1-dhcp-192-168-100-100' },
  spec: {
    server: 'c1-dhcp',
    address: '192.168.100.100',
    mac: '02:00:00:00:00:01',
    state: 'Active',
    start: '2026-01-31T12:00:00.000Z',
    expires: '2026-01-31T13:00:00.000Z',
    sequence: 1,
  },
}

const virtualIngress: VirtualIngressInput = {
  apiVersion,
  kind: 'VirtualIngress',
  metadata: { name: 'relay' },
  spec: {
    rules: [
      {
        host: 'relay.example.com',
        http: {
          paths: [
            {
              path: '/',
              pathType: 'Prefix',
              backend: {
                service: {
                  matchLabels: { 'cluster.x-k8s.io/tenant-service-name': 'relay' },
                  port: { number: 80 },
                },
              },
            },
          ],
        },
      },
    ],
  },
}

export const goodManifests = {
  Infra: infra,
  InfraClusterAttachment: infraClusterAttachment,
  DHCPServer: dhcpServer,
  DHCPLease: dhcpLease,
  DNSServer: dnsServer,
  ProxyServer: proxyServer,
  VirtualIngress: virtualIngress,
}
