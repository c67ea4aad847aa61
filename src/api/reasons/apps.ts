import type { ReasonTexts } from './reason.ts'

/** About the applications of a hosted cluster. */
export const appsReasons = {
  HostedClusterUnknown: {
    meaning: 'It is not known which HostedCluster is meant, or there is none of that name.',
    remedy: 'Set hostedClusterRef to a HostedCluster that exists, or give appsIngress.address.',
    blame: 'input',
  },
  KubeconfigMissing: {
    meaning: 'There is no Secret with a kubeconfig for the hosted cluster.',
    remedy: 'Wait until HyperShift has made it; the message names it.',
    blame: 'runtime',
  },
  KubeconfigRefused: {
    meaning: 'The kubeconfig for the hosted cluster asks for something that is not allowed in one from outside.',
    remedy: 'Find out who wrote the Secret; HyperShift writes certificates into it and nothing else.',
    blame: 'input',
  },
  HostedAPIUnreachable: {
    meaning: 'The API server of the hosted cluster does not answer. What was known last goes on being served.',
    remedy: 'Look at the pods of kube-apiserver in the namespace of the control plane; oooi goes on trying.',
    blame: 'runtime',
  },
  HostedAPIRefused: {
    meaning: 'The API server of the hosted cluster does not let oooi do what it needs there.',
    remedy: 'If certificates were rotated it heals by itself; else compare the Secret of the message with the cluster.',
    blame: 'runtime',
  },
  ProxyProtocolExpected: {
    meaning: 'The router of the hosted cluster expects the PROXY protocol, which MetalLB does not speak.',
    remedy: 'Set the protocol of its endpointPublishingStrategy to TCP.',
    blame: 'input',
  },
  MetalLBNotInstalled: {
    meaning: 'The hosted cluster has no MetalLB. It is never installed by oooi.',
    remedy: 'Install MetalLB in the hosted cluster, with an IPAddressPool and an L2Advertisement.',
    blame: 'input',
  },
  AddressPoolNotFound: {
    meaning: 'The hosted cluster has no IPAddressPool of the name in appsIngress.metallb.addressPoolName.',
    remedy: 'Create the pool, or name one that the message lists.',
    blame: 'input',
  },
  AddressPoolExhausted: {
    meaning: 'All addresses of the IPAddressPool are taken by other Services.',
    remedy: 'Widen the pool, or remove a Service that uses it.',
    blame: 'runtime',
  },
  NotAdvertised: {
    meaning: 'No L2Advertisement covers the pool, so nobody on the VLAN would answer for its addresses.',
    remedy: 'Create an L2Advertisement in the namespace of MetalLB that names the pool.',
    blame: 'input',
  },
  LoadBalancerClassMismatch: {
    meaning: 'MetalLB was told to serve another loadBalancerClass than the Service shall have.',
    remedy: 'Set the same class in the MetalLB object and in appsIngress.service.loadBalancerClass.',
    blame: 'input',
  },
  LoadBalancerContention: {
    meaning: 'Another load balancer serves the Service too, and each takes away the address of the other.',
    remedy: 'Give MetalLB a loadBalancerClass, and the same one to appsIngress.service.',
    blame: 'input',
  },
  AllocationFailed: {
    meaning: 'MetalLB could not give the Service an address.',
    remedy: 'The message has its words.',
    blame: 'runtime',
  },
  AddressPending: {
    meaning: 'MetalLB has given the Service no address yet.',
    remedy: 'Wait a moment; if it stays so, look whether the pods of MetalLB run in the hosted cluster.',
    blame: 'runtime',
  },
  AddressLost: {
    meaning: 'The Service had an address and has none now. The last one goes on being served.',
    remedy: 'Look at the events of the Service in the hosted cluster and at the pods of MetalLB.',
    blame: 'runtime',
  },
  AddressRefused: {
    meaning: 'The address of the Service, or the pool it comes from, is not one that may be used on this VLAN.',
    remedy: 'Let the pool have addresses of the VLAN that nobody else has; the message says what is in the way.',
    blame: 'input',
  },
  NoRouterEndpoints: {
    meaning: 'The Service has an address, but no ready router behind it.',
    remedy: 'Look at the pods of openshift-ingress in the hosted cluster, or correct appsIngress.service.selector.',
    blame: 'runtime',
  },
  AppsDomainMismatch: {
    meaning: 'The router of the hosted cluster serves another domain than the one whose names lead to it.',
    remedy: 'Correct or leave out appsIngress.baseDomain.',
    blame: 'input',
  },
  ServiceLeftBehind: {
    meaning: 'The Service in the hosted cluster could not be removed in time, and is left there.',
    remedy: 'Remove it by hand if the hosted cluster still exists; the message names it.',
    blame: 'runtime',
  },
} as const satisfies ReasonTexts
