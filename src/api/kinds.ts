import type { z } from 'zod'
import { type DHCPLease, dhcpLeaseSchema } from './dhcplease.ts'
import { type DHCPServer, dhcpServerSchema } from './dhcpserver.ts'
import { type DNSServer, dnsServerSchema } from './dnsserver.ts'
import { type Infra, infraSchema } from './infra.ts'
import { type InfraClusterAttachment, infraClusterAttachmentSchema } from './infraclusterattachment.ts'
import { type ProxyServer, proxyServerSchema } from './proxyserver.ts'
import { dhcpServerRules, dnsServerRules, proxyServerRules } from './rules/components.ts'
import { infraRules } from './rules/infra.ts'
import { infraClusterAttachmentRules } from './rules/infraclusterattachment.ts'
import type { RuleGroup } from './rules/rule.ts'
import { virtualIngressRules } from './rules/virtualingress.ts'
import { type VirtualIngress, virtualIngressSchema } from './virtualingress.ts'

/** What `kubectl get` shows of an object. */
export interface Column {
  readonly name: string
  readonly type: 'string' | 'integer' | 'date'
  readonly jsonPath: string
}

/** All there is to know about one kind: its types, its CRD and the checks of its files come from here. */
export interface KindDefinition<Resource> {
  readonly kind: string
  readonly plural: string
  readonly shortNames: readonly string[]
  readonly columns: readonly Column[]
  readonly schema: z.ZodType<Resource>
  readonly rules: readonly RuleGroup<Resource>[]
}

const ready = conditionColumn('Ready', 'Ready')
const age: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }

function conditionColumn(name: string, condition: string): Column {
  return { name, type: 'string', jsonPath: `.status.conditions[?(@.type=="${condition}")].status` }
}

const infra: KindDefinition<Infra> = {
  kind: 'Infra',
  plural: 'infras',
  shortNames: ['infra'],
  columns: [
    ready,
    { name: 'Network', type: 'string', jsonPath: '.spec.networkConfig.cidr' },
    conditionColumn('DHCP', 'DHCPReady'),
    conditionColumn('DNS', 'DNSReady'),
    conditionColumn('Proxy', 'ProxyReady'),
    conditionColumn('Apps', 'AppsIngressReady'),
    { name: 'Message', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].message' },
    age,
  ],
  schema: infraSchema,
  rules: infraRules,
}

const dhcpServer: KindDefinition<DHCPServer> = {
  kind: 'DHCPServer',
  plural: 'dhcpservers',
  shortNames: ['dhcpserver'],
  columns: [ready, { name: 'Active Leases', type: 'integer', jsonPath: '.status.activeLeases' }, age],
  schema: dhcpServerSchema,
  rules: dhcpServerRules,
}

const dnsServer: KindDefinition<DNSServer> = {
  kind: 'DNSServer',
  plural: 'dnsservers',
  shortNames: ['dns'],
  columns: [
    { name: 'Domain', type: 'string', jsonPath: '.spec.hostedClusterDomain' },
    { name: 'ServerIP', type: 'string', jsonPath: '.spec.networkConfig.serverIP' },
    { name: 'ProxyIP', type: 'string', jsonPath: '.spec.networkConfig.proxyIP' },
    ready,
    age,
  ],
  schema: dnsServerSchema,
  rules: dnsServerRules,
}

const proxyServer: KindDefinition<ProxyServer> = {
  kind: 'ProxyServer',
  plural: 'proxyservers',
  shortNames: ['proxy', 'proxies'],
  columns: [
    { name: 'ServerIP', type: 'string', jsonPath: '.spec.networkConfig.serverIP' },
    { name: 'Port', type: 'integer', jsonPath: '.spec.port' },
    { name: 'Backends', type: 'integer', jsonPath: '.status.backendCount' },
    ready,
    age,
  ],
  schema: proxyServerSchema,
  rules: proxyServerRules,
}

const infraClusterAttachment: KindDefinition<InfraClusterAttachment> = {
  kind: 'InfraClusterAttachment',
  plural: 'infraclusterattachments',
  shortNames: ['infraattachment', 'ica'],
  columns: [
    { name: 'Infra', type: 'string', jsonPath: '.spec.infraRef.name' },
    { name: 'HostedCluster', type: 'string', jsonPath: '.spec.hostedClusterRef.name' },
    { name: 'Domain', type: 'string', jsonPath: '.status.domain' },
    ready,
    age,
  ],
  schema: infraClusterAttachmentSchema,
  rules: infraClusterAttachmentRules,
}

const dhcpLease: KindDefinition<DHCPLease> = {
  kind: 'DHCPLease',
  plural: 'dhcpleases',
  shortNames: ['dhcpl'],
  columns: [
    { name: 'Address', type: 'string', jsonPath: '.spec.address' },
    { name: 'MAC', type: 'string', jsonPath: '.spec.mac' },
    { name: 'Hostname', type: 'string', jsonPath: '.spec.hostname' },
    { name: 'State', type: 'string', jsonPath: '.spec.state' },
    // As text: kubectl shows dates as an age, and most of these are in the future.
    { name: 'Expires', type: 'string', jsonPath: '.spec.expires' },
  ],
  schema: dhcpLeaseSchema,
  rules: [],
}

const virtualIngress: KindDefinition<VirtualIngress> = {
  kind: 'VirtualIngress',
  plural: 'virtualingresses',
  shortNames: ['ving', 'vi'],
  columns: [
    { name: 'Class', type: 'string', jsonPath: '.spec.ingressClassName' },
    { name: 'Host', type: 'string', jsonPath: '.spec.rules[0].host' },
    { name: 'Backends', type: 'string', jsonPath: '.status.summary' },
    { name: 'Address', type: 'string', jsonPath: '.status.loadBalancer.ingress[0].ip' },
    ready,
    age,
  ],
  schema: virtualIngressSchema,
  rules: virtualIngressRules,
}

export const kinds = {
  Infra: infra,
  InfraClusterAttachment: infraClusterAttachment,
  DHCPServer: dhcpServer,
  DHCPLease: dhcpLease,
  DNSServer: dnsServer,
  ProxyServer: proxyServer,
  VirtualIngress: virtualIngress,
} as const

export type KindName = keyof typeof kinds
export type Resource =
  | Infra
  | InfraClusterAttachment
  | DHCPServer
  | DHCPLease
  | DNSServer
  | ProxyServer
  | VirtualIngress

export function isKindName(text: string): text is KindName {
  return Object.hasOwn(kinds, text)
}
