import type { KindName } from './kinds.ts'

interface ConditionText {
  /** Whose statuses have it. */
  readonly of: readonly KindName[]
  /** What it says when it is True. */
  readonly meaning: string
}

const components = ['DHCPServer', 'DNSServer', 'ProxyServer'] as const
const clusters = ['Infra', 'InfraClusterAttachment'] as const

/**
 * Every condition that is about the object as a whole. Beside them an engine states each trouble that it looks out for as
 * a condition with the name of its reason, which is True while the trouble lasts.
 */
export const conditionTypes = {
  Ready: {
    of: ['Infra', 'InfraClusterAttachment', ...components, 'VirtualIngress'],
    meaning:
      'All that is asked for was seen to work. Otherwise reason and message are those of the condition in the way.',
  },
  Accepted: {
    of: ['Infra', 'InfraClusterAttachment', ...components, 'VirtualIngress'],
    meaning: 'The spec makes sense and may be served. What was served before a mistake goes on being served.',
  },
  EndpointsDiscovered: {
    of: clusters,
    meaning: 'What nodes will call is known from the HostedCluster, and can work on this VLAN.',
  },
  DHCPReady: { of: ['Infra'], meaning: 'The DHCPServer is Ready. Not there if the Infra asks for none.' },
  DNSReady: { of: clusters, meaning: 'The DNSServer is Ready. Not there if the Infra asks for none.' },
  ProxyReady: {
    of: clusters,
    meaning: 'The ProxyServer is Ready, and leads to this cluster. Not there if the Infra asks for none.',
  },
  AppsIngressReady: {
    of: clusters,
    meaning: 'Names and proxy lead to the applications. Not there if appsIngress is off.',
  },
  NetworkAttached: {
    of: components,
    meaning:
      'The pod has its address on the VLAN, by what Multus noted on it; the NetworkAttachmentDefinition is usable.',
  },
  Available: { of: components, meaning: 'The pod runs and answers its probes.' },
  Serving: { of: components, meaning: 'The engine says that it serves the newest generation of the spec.' },
  Applied: { of: components, meaning: 'The engine could use the newest version; else it goes on with the one before.' },
  ClientsResolved: {
    of: ['DHCPServer'],
    meaning: 'The virtual machines of the clusters are known by their hardware addresses.',
  },
  TargetsResolved: { of: ['ProxyServer'], meaning: 'An address is known of the target of every backend.' },
  Programmed: {
    of: ['ProxyServer', 'VirtualIngress'],
    meaning: 'Envoy has taken the whole configuration; of a VirtualIngress: the Ingress or the HTTPRoutes are made.',
  },
  BackendsHealthy: {
    of: ['ProxyServer'],
    meaning: 'The last connection to each backend got through; those that nobody needed yet count as healthy.',
  },
  ResolvedRefs: { of: ['VirtualIngress'], meaning: 'Every backend has its Service.' },
} as const satisfies Readonly<Record<string, ConditionText>>

export type ConditionType = keyof typeof conditionTypes

/** Reasons for what is as it should be, or is news and no trouble; nothing is to be done about any of them. */
export const goodReasons = {
  Accepted: 'The spec makes sense; a message beside it names what is not taken as it was written.',
  AddressAssigned: 'The applications of the hosted cluster have got an address, or another one.',
  AddressGiven:
    'The address of the applications is the one that was given; whether somebody answers there is not known.',
  Applied: 'The engine uses the newest version of its object.',
  Attached: 'The pod has its address on the VLAN.',
  Available: 'The pod runs and answers its probes.',
  BackendChanged: 'A route of a VirtualIngress leads to another Service now.',
  ControlPlaneLeaving: 'The object is being deleted, and served until the control plane of its machines is gone.',
  Discovered: 'What nodes will call is known; a message beside it names what is unusual.',
  DriftCorrected: 'An object that oooi made was edited by somebody else, and put right.',
  Healthy: 'The last connection to each backend got through.',
  NotSeen: 'The trouble that the condition is named after was looked for and is not there.',
  Programmed: 'What was asked for is in place.',
  Ready: 'All that is asked for was seen to work; a message beside it names what does not matter to all.',
  Resolved: 'All that was looked for elsewhere was found.',
  Serving: 'The engine serves the newest generation.',
} as const

export type GoodReason = keyof typeof goodReasons
