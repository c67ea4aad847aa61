import type { ReasonTexts } from './reason.ts'

/** About hosted clusters. */
export const hostedReasons = {
  HyperShiftMissing: {
    meaning: 'A HostedCluster is named, but the cluster does not know the kind.',
    remedy: 'Install HyperShift, which is noticed by itself, or leave the reference out and give the fields by hand.',
    blame: 'host',
  },
  HostedClusterMissing: {
    meaning: 'The HostedCluster that is named does not exist (any more).',
    remedy: 'Create it, or correct name and namespace of the reference; until then the usual names serve.',
    blame: 'input',
  },
  ControlPlanePending: {
    meaning: 'HyperShift has not made the control plane of the HostedCluster yet.',
    remedy: 'Wait; if it stays so, look at the conditions of the HostedCluster.',
    blame: 'runtime',
  },
  EndpointPending: {
    meaning: 'Where nodes will call a service of the control plane is not known yet.',
    remedy: 'Wait for the object that the message names, or give the hostname in spec.services of the HostedCluster.',
    blame: 'runtime',
  },
  EndpointMismatch: {
    meaning: 'The HostedCluster reports another name or port for a service than it is told to publish.',
    remedy: 'Nothing, if nodes join: both names are served; else mend the publishing of the HostedCluster.',
    blame: 'runtime',
  },
  PublishingUnusable: {
    meaning: 'The HostedCluster publishes a service in a way that nodes on the VLAN cannot use.',
    remedy:
      'Make the HostedCluster anew with the services that `oooi plan-services` prints; they cannot be changed later.',
    blame: 'input',
  },
  PublishedAddressUnreachable: {
    meaning: 'The HostedCluster publishes a service by an address outside the VLAN, which nodes do not reach.',
    remedy: 'Make the HostedCluster anew with hostnames, as `oooi plan-services` prints them.',
    blame: 'input',
  },
  PlatformUnsupported: {
    meaning: 'The machines of the HostedCluster are not virtual machines of KubeVirt in this cluster.',
    remedy: 'Use a HostedCluster of platform KubeVirt; with machines elsewhere, run oooi there.',
    blame: 'input',
  },
  BaseDomainUnusable: {
    meaning: 'The HostedCluster has no base domain of its own.',
    remedy: 'Make it with spec.dns.baseDomain (`hcp create cluster kubevirt --base-domain`).',
    blame: 'input',
  },
  DomainMismatch: {
    meaning: 'The domain that is given is not the one of the HostedCluster.',
    remedy: 'Leave clusterName and baseDomain out, so that they come from the HostedCluster.',
    blame: 'input',
  },
  IngressDisabled: {
    meaning: 'Applications shall be published, but the hosted cluster has no ingress.',
    remedy: 'Switch appsIngress off, or make the HostedCluster with the capability Ingress.',
    blame: 'input',
  },
  NodePoolNotOnVlan: {
    meaning: 'Machines of a NodePool have no network besides that of the pods.',
    remedy: 'List the NetworkAttachmentDefinition of the VLAN in platform.kubevirt.additionalNetworks of the NodePool.',
    blame: 'input',
  },
  NodePoolOnPodNetwork: {
    meaning: 'Machines of a NodePool are on the VLAN and on the pod network.',
    remedy: 'Set platform.kubevirt.attachDefaultNetwork of the NodePool to false.',
    blame: 'input',
  },
  NetworksOverlap: {
    meaning:
      'The VLAN overlaps another network of the clusters or of the host, or is not where the HostedCluster says its machines are.',
    remedy: 'Choose a network for the VLAN that nothing else uses; pods and nodes reach only one of two that overlap.',
    blame: 'input',
  },
  NameInsideApps: {
    meaning: 'A name of the control plane lies below the domain of the applications.',
    remedy: 'Nothing here, where the exact name wins; make sure that public DNS does the same.',
    blame: 'input',
  },
  DuplicateHostedCluster: {
    meaning: 'Two attachments want the same hosted cluster.',
    remedy: 'Delete one of them; one that was served before goes on being served.',
    blame: 'input',
  },
  InfraMissing: {
    meaning: 'The Infra that a cluster is attached to does not exist in the namespace of the attachment.',
    remedy: 'Create it, or correct infraRef.',
    blame: 'input',
  },
  PolicyTooWide: {
    meaning: 'A NetworkPolicy that the Go program made opens every pod of a control plane to other namespaces.',
    remedy: 'Delete it with the command in the message; the policy that oooi makes opens what the proxy needs.',
    blame: 'input',
  },
  AddressConflict: {
    meaning: 'Two Infras on one network, or on one host, want the same address, or one lends what the other has.',
    remedy: 'Move the address or the range of one of them.',
    blame: 'input',
  },
  AnnotationInvalid: {
    meaning: 'An annotation of a HostedCluster, from which an Infra is to be made, cannot be used.',
    remedy: 'Change the annotation as the message says; until then nothing is made or changed.',
    blame: 'input',
  },
} as const satisfies ReasonTexts
