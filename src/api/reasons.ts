/**
 * Every reason oooi gives for not doing what it was asked, with its meaning and the remedy. A reason is the stable
 * name that conditions, events, logs and `-o json` carry; the message beside it has the particulars.
 */
interface ReasonText {
  readonly meaning: string
  readonly remedy: string
  /** What has to change: the manifest (`input`), the machine (`host`), or something that may heal by itself (`runtime`). */
  readonly blame: 'input' | 'host' | 'runtime'
}

export const reasons = {
  // --- the manifest ---
  FileUnreadable: {
    meaning: 'The manifest file cannot be read.',
    remedy: 'Check that the path exists and that the user running oooi may read it.',
    blame: 'input',
  },
  InvalidYaml: {
    meaning: 'The file is not well-formed YAML or JSON.',
    remedy: 'Mend the line the message names.',
    blame: 'input',
  },
  WrongKind: {
    meaning: 'The file holds no object of the kind this command wants, or more than one.',
    remedy: 'Give a file with exactly one object of the kind the message names.',
    blame: 'input',
  },
  InvalidField: {
    meaning: 'A field has a value that the kind does not allow.',
    remedy: 'Change the field to what the message expects.',
    blame: 'input',
  },
  UnknownField: {
    meaning: 'The kind has no such field.',
    remedy: 'Remove the field or use the name the message suggests.',
    blame: 'input',
  },
  NotYetSupported: {
    meaning: 'The field is part of the API, but no engine does this yet.',
    remedy: 'Leave the field out; the README lists what is not there yet.',
    blame: 'input',
  },
  // --- an Infra as a whole ---
  AddressTaken: {
    meaning: 'An address of a server lies in the range that DHCP gives to clients, or is reserved for one of them.',
    remedy: 'Move the address or the range, or list the address in infraComponents.dhcp.exclusions.',
    blame: 'input',
  },
  NameTaken: {
    meaning: 'A name is wanted for something else, but it leads to the control plane.',
    remedy: 'Choose another name.',
    blame: 'input',
  },
  NoResolver: {
    meaning: 'DHCP has no DNS server to tell its clients.',
    remedy: 'Switch infraComponents.dns on, or list addresses in networkConfig.dnsServers.',
    blame: 'input',
  },
  // --- the host ---
  AddressMissing: {
    meaning: 'An address that a component should serve on is on no interface of this host.',
    remedy: 'Add the address to the VLAN interface (`ip address add`), or run with --add-addresses.',
    blame: 'host',
  },
  InterfaceMissing: {
    meaning: 'The interface named by --interface does not exist on this host.',
    remedy: 'Name one of the interfaces the message lists.',
    blame: 'host',
  },
  PortInUse: {
    meaning: 'Another program already listens on the address and port.',
    remedy: 'Stop it (`ss -lunpt` shows it), or give the component another address.',
    blame: 'host',
  },
  PermissionDenied: {
    meaning: 'This user may not do what the component needs, such as listening on a port below 1024.',
    remedy: 'Set `sysctl net.ipv4.ip_unprivileged_port_start=0`, or give the program CAP_NET_BIND_SERVICE.',
    blame: 'host',
  },
  StateDirUnusable: {
    meaning: 'The state directory cannot be created or written.',
    remedy: 'Name a writable directory with --state-dir.',
    blame: 'host',
  },
  StateDirInUse: {
    meaning: 'Another oooi process owns the state directory.',
    remedy: 'Stop the other process, or give each its own --state-dir.',
    blame: 'host',
  },
  NotRunning: {
    meaning: 'No oooi process answers on the control socket of the state directory.',
    remedy: 'Start `oooi up`, or name the state directory it uses with --state-dir.',
    blame: 'host',
  },
  // --- the proxy ---
  ListenFailed: {
    meaning: 'The operating system refused an address and port for a reason of its own.',
    remedy: 'The message has the reason; check the address and the limits of the process.',
    blame: 'host',
  },
  DuplicateHostname: {
    meaning: 'Two backends want the same name on the same port; the first one has it.',
    remedy: 'Remove the name from one of the two backends.',
    blame: 'input',
  },
  DuplicateDefault: {
    meaning: 'Two backends want the connections without a server name of the same port; the first one gets them.',
    remedy: 'Leave `default: true` at one backend of the port.',
    blame: 'input',
  },
  DuplicateBackend: {
    meaning: 'Two backends of a proxy have the same name; the first one is served.',
    remedy: 'Rename one of them.',
    blame: 'input',
  },
  TargetNotPermitted: {
    meaning:
      'Connections may not be passed on there: to a namespace that did not permit it, or to an address such as loopback.',
    remedy: 'Have the owner of the namespace run the command in the message, or give an address that is permitted.',
    blame: 'input',
  },
  TargetUnresolved: {
    meaning: 'No address is known yet of the Service that a backend names.',
    remedy: 'Check that the Service exists and has ready pods; outside Kubernetes give targetAddress.',
    blame: 'runtime',
  },
  BackendUnreachable: {
    meaning: 'No target of a backend takes connections, so the proxy cannot pass on what clients send to it.',
    remedy: 'Look at the server the message names and at the way to it; the next connection tries again.',
    blame: 'runtime',
  },
  EngineLacksFeature: {
    meaning: 'The engine that was chosen cannot do what a part of the object asks for; the rest is served.',
    remedy: 'Choose the other engine, or leave that part out.',
    blame: 'input',
  },
  NoBackendReachable: {
    meaning: 'The last connections to all backends failed, so that the proxy is of no use to anybody.',
    remedy: 'Check that the control plane runs, and that its network policies let the proxy in.',
    blame: 'runtime',
  },
  PortReserved: {
    meaning: 'A backend wants a port on the pod network that the pod of the proxy needs for health and metrics.',
    remedy: 'Give the backend another port, or leave podNetwork out; on the VLAN the port is free.',
    blame: 'input',
  },
  EnvoyRejected: {
    meaning: 'Envoy refused a part of its configuration and goes on with what it had before.',
    remedy: 'Read the words of Envoy in the message; if the object looks right, please report it.',
    blame: 'runtime',
  },
  EnvoyNotConnected: {
    meaning: 'No Envoy has asked for its configuration, so nothing is proxied as far as oooi knows.',
    remedy: 'Start Envoy with the bootstrap that oooi wrote, or look at its log.',
    blame: 'runtime',
  },
  CorednsNotServing: {
    meaning: 'CoreDNS does not answer, or still answers with an older version of the object.',
    remedy: 'Read the log of CoreDNS, which names the line it did not take; what it served before goes on.',
    blame: 'runtime',
  },
  CorednsMissing: {
    meaning: 'The engine coredns was asked for, and there is no CoreDNS to run.',
    remedy: 'Give its path with --coredns, or leave the engine out.',
    blame: 'host',
  },
  // --- the lab ---
  LabNotPossible: {
    meaning: 'The lab cannot run on this machine as it is.',
    remedy: 'Do what the message says; `make setup` installs what is missing on Debian.',
    blame: 'host',
  },
  LabNotRunning: {
    meaning: 'The command works on a running lab, and it is not clear which, or there is none.',
    remedy: 'Start one with `oooi lab` in another terminal, or name one with --lab.',
    blame: 'host',
  },
  LabOrderRefused: {
    meaning: 'The running lab does not do what it was told.',
    remedy: 'The message says why; `oooi lab look` shows what the lab has and what is broken in it.',
    blame: 'runtime',
  },
  // --- DHCP ---
  LeaseJournalDamaged: {
    meaning: 'The lease journal has a broken line that is not its last, so leases that were given out are unknown.',
    remedy: 'Restore the file from a backup, or move it away to start without leases.',
    blame: 'host',
  },
  LeaseJournalTooNew: {
    meaning: 'The lease journal was written by a newer oooi in a format that this one does not know.',
    remedy: 'Run the newer oooi, or move the file away to start without leases.',
    blame: 'host',
  },
  LeaseStoreDegraded: {
    meaning:
      'Leases cannot be written to disk. No address is confirmed, because it could be given twice after a crash.',
    remedy: 'Free space or mend the disk under the state directory; oooi tries again every second.',
    blame: 'runtime',
  },
  LeaseFileInvalid: {
    meaning: 'A file with leases of another server cannot be read, or a line of it cannot.',
    remedy: 'Mend or remove the lines that are named, and import again; until then nothing is imported.',
    blame: 'input',
  },
  LeaseConflict: {
    meaning: 'A lease to be imported contradicts one that is in force here.',
    remedy: 'Take it out of the file, or end the lease here with `oooi leases evict`.',
    blame: 'input',
  },
  LeaseUnknown: {
    meaning: 'There is no lease for this address.',
    remedy: '`oooi leases` lists those there are.',
    blame: 'input',
  },
  LeasesOutsideRange: {
    meaning: 'Clients hold addresses that the range or the exclusions do not allow any more; they can keep them.',
    remedy: 'Nothing need be done; `oooi leases evict` ends one, so that its client moves at its next renewal.',
    blame: 'runtime',
  },
  LeasesOrphaned: {
    meaning: 'Clients hold addresses that belong to somebody else now, or to no network that is served.',
    remedy: 'They are told so at their next renewal and get another address; take the change back if that must not be.',
    blame: 'runtime',
  },
  AddressInUse: {
    meaning: 'Somebody without a lease uses addresses of the range. They are set aside and tried again later.',
    remedy: 'Give those machines a reservation, or take their addresses out of the range with exclusions.',
    blame: 'runtime',
  },
  RogueServerSeen: {
    meaning: 'Clients on the VLAN take addresses from another DHCP server.',
    remedy: 'Switch that server off, or set authoritative to false if there are to be two.',
    blame: 'runtime',
  },
  PoolExhausted: {
    meaning: 'Every address of the range is lent or set aside, so new clients get none.',
    remedy: 'Widen rangeStart to rangeEnd, shorten leaseTime, or remove exclusions.',
    blame: 'runtime',
  },
  UnknownClient: {
    meaning: 'A client that is not known asked for an address, and clientPolicy is Known.',
    remedy: 'Add a reservation for its MAC address, or set clientPolicy to Any.',
    blame: 'runtime',
  },
  InternalProxyUnresolved: {
    meaning: 'The name of the proxy on the pod network resolves to no address.',
    remedy: 'Give internalProxyIP (internalProxyService of an Infra) an address, or a name that the upstreams know.',
    blame: 'runtime',
  },
  UpstreamsUnreachable: {
    meaning: 'None of the DNS servers that other names are forwarded to answers.',
    remedy: 'Check the addresses and the way to them; oooi goes on trying.',
    blame: 'runtime',
  },
  // --- an engine in its pod ---
  ObjectMissing: {
    meaning: 'The object that an engine serves is not there, or not any more.',
    remedy: 'Create it again, or stop the engine; what was served before is served on.',
    blame: 'runtime',
  },
  ApiUnreachable: {
    meaning: 'The Kubernetes API server does not answer, or refuses to show the object to serve.',
    remedy: 'Check the API server and the Role of the pod; the last version is served, and oooi goes on trying.',
    blame: 'runtime',
  },
  NoCluster: {
    meaning: 'No way to a Kubernetes cluster is configured.',
    remedy: 'Set KUBECONFIG or give --kubeconfig; in a pod, give it a service account.',
    blame: 'host',
  },
  // --- the kinds in a cluster ---
  ClusterUnreachable: {
    meaning: 'The API server of the cluster does not answer.',
    remedy: 'Check the address in the kubeconfig and the way to it; kubectl version fails in the same way.',
    blame: 'runtime',
  },
  ClusterForbidden: {
    meaning: 'The API server does not let this user do what the command needs.',
    remedy: 'Use a kubeconfig or context whose user may do it; the kinds are installed by a cluster administrator.',
    blame: 'host',
  },
  KindsRefused: {
    meaning: 'The API server refused the definition of a kind.',
    remedy: 'The message has its words. Kubernetes before 1.31 does not know the rules in the definitions.',
    blame: 'host',
  },
  KindsNotServed: {
    meaning: 'A kind was installed, but the API server does not serve it.',
    remedy: 'The message has its words; another definition may have taken one of the names.',
    blame: 'runtime',
  },
  // --- hosted clusters ---
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
      'The VLAN overlaps another network of the clusters, or is not where the HostedCluster says its machines are.',
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
    meaning: 'Two Infras on one network want the same address, or one lends what the other has.',
    remedy: 'Move the address or the range of one of them.',
    blame: 'input',
  },
  AnnotationInvalid: {
    meaning: 'An annotation of a HostedCluster, from which an Infra is to be made, cannot be used.',
    remedy: 'Change the annotation as the message says; until then nothing is made or changed.',
    blame: 'input',
  },
  // --- the operator ---
  ObjectNotOurs: {
    meaning: 'An object that oooi has to make exists already and belongs to somebody else; it is left alone.',
    remedy: 'Remove or rename the object the message names, or give the Infra or component another name.',
    blame: 'input',
  },
  ApplyFailed: {
    meaning: 'The API server refused an object that oooi has to make.',
    remedy: 'The message has its words: a quota, a policy or a missing right; oooi goes on trying.',
    blame: 'runtime',
  },
  MultusMissing: {
    meaning: 'The cluster does not know NetworkAttachmentDefinitions, so a pod cannot get onto the VLAN.',
    remedy: 'Install Multus; oooi goes on by itself when it is there.',
    blame: 'host',
  },
  NetworkAttachmentMissing: {
    meaning: 'The NetworkAttachmentDefinition that puts the pod onto the VLAN does not exist.',
    remedy: 'Create it, or correct its name and namespace in networkConfig.',
    blame: 'input',
  },
  NetworkAttachmentUnusable: {
    meaning: 'Through this NetworkAttachmentDefinition a pod cannot get the address it needs.',
    remedy: 'Change the definition as the message says.',
    blame: 'input',
  },
  NetworkAttachmentUnusual: {
    meaning: 'The NetworkAttachmentDefinition works in a way that is often not what was meant.',
    remedy: 'Nothing, if it is meant so; else change the definition as the message says.',
    blame: 'input',
  },
  NetworkNotAttached: {
    meaning: 'The pod runs, but does not have its address on the VLAN.',
    remedy: 'Look at the events of the pod and the log of Multus on its node.',
    blame: 'runtime',
  },
  PodPending: {
    meaning: 'The pod of the component does not run, or not yet.',
    remedy: 'The message says what holds it up; `kubectl describe pod` has more.',
    blame: 'runtime',
  },
  NotServing: {
    meaning: 'The engine does not serve the present version of its object, or not yet.',
    remedy: 'If it stays so, the log of the pod says why.',
    blame: 'runtime',
  },
  PathBroken: {
    meaning: 'From the VLAN, the way to a published name does not lead to a server with a certificate for that name.',
    remedy: 'The message says how far it leads: DNS, the proxy, the service of the control plane, or its certificate.',
    blame: 'runtime',
  },
  AddressAnsweredByOther: {
    meaning: "The address of a component on the VLAN is answered by somebody else than the component's pod.",
    remedy: 'Find the machine with the MAC address that the message names, or give the component another address.',
    blame: 'runtime',
  },
  MachineStuck: {
    meaning: 'A virtual machine of the VLAN has not got further with its boot for five minutes.',
    remedy: 'Look at what the message names; `oooi status --vms` shows all machines and how far they came.',
    blame: 'runtime',
  },
  ComponentPending: {
    meaning: 'The component has just been made or changed, and its state is not known yet.',
    remedy: 'Wait a moment; if it stays so, look whether the operator runs.',
    blame: 'runtime',
  },
  KubeVirtMissing: {
    meaning: 'The cluster has no KubeVirt, so virtual machines are not known by name.',
    remedy: 'Nothing, if there are none; else install KubeVirt, which is noticed by itself.',
    blame: 'runtime',
  },
  MachinesUnknown: {
    meaning: 'The server belongs to no Infra, so it is not known whose virtual machines its clients are.',
    remedy: 'Nothing, if reservations name them; else let an Infra make the server.',
    blame: 'runtime',
  },
  // --- a VirtualIngress ---
  NoMatchingService: {
    meaning: 'No Service has the labels that a backend asks for, or the one that is named is not there.',
    remedy: '`kubectl get services -l` with the selector in the message shows what there is; oooi goes on by itself.',
    blame: 'runtime',
  },
  MultipleMatchingServices: {
    meaning: 'Several Services have the labels that a backend asks for, so none is taken; one that is in use stays.',
    remedy: 'Ask for one more label, remove the Service that is left over, or set multipleMatches.',
    blame: 'runtime',
  },
  PortNotFound: {
    meaning: 'The Service that a backend leads to does not have the port that is asked for.',
    remedy: 'Correct the port; mirrored Services often have numbers and no names.',
    blame: 'runtime',
  },
  EndpointsNotReady: {
    meaning: 'The Service that matches has no ready endpoint, and requireReadyEndpoints is set.',
    remedy: 'Wait for its pods, or set requireReadyEndpoints to false.',
    blame: 'runtime',
  },
  ServiceTerminating: {
    meaning: 'The Service in use is being deleted, and no other matches.',
    remedy: 'Nothing, if it comes back under another name; else look what holds up its deletion.',
    blame: 'runtime',
  },
  ReferenceNotPermitted: {
    meaning: 'A backend asks for Services of another namespace, and none there permits it.',
    remedy: 'Have its owner annotate the Service or make a ReferenceGrant, and the operator run with that switched on.',
    blame: 'input',
  },
  NameConflict: {
    meaning: 'An object of the name that a VirtualIngress wants belongs to somebody else; it is left alone.',
    remedy: 'Give another name in spec.generated.name, or remove the object the message names.',
    blame: 'input',
  },
  InvalidIngress: {
    meaning: 'The API server refuses the Ingress or HTTPRoute that a VirtualIngress becomes.',
    remedy: 'The message has its words: change the field that it names.',
    blame: 'input',
  },
  TooManyMatches: {
    meaning: 'The selectors of a VirtualIngress match so many Services that looking at them would hold up all others.',
    remedy: 'Ask for rarer labels.',
    blame: 'input',
  },
  DuplicateRoute: {
    meaning: 'Two VirtualIngresses of a class want the same host and path; the ingress controller decides who has it.',
    remedy: 'Remove the path from one of them.',
    blame: 'input',
  },
  FieldIgnored: {
    meaning: 'A field or annotation of a VirtualIngress has no effect on what is made of it.',
    remedy: 'Remove it, or do what the message says.',
    blame: 'input',
  },
  NotPublished: {
    meaning: 'Nothing is made of a VirtualIngress while a backend has no Service, as selection.noMatch says.',
    remedy: 'See why in ResolvedRefs; with noMatch Unavailable the Ingress is made and answers 503.',
    blame: 'runtime',
  },
  Suspended: {
    meaning: 'The VirtualIngress is suspended: its status shows what would be done.',
    remedy: 'Set spec.suspend to false.',
    blame: 'input',
  },
  GatewayApiMissing: {
    meaning: 'The cluster does not know HTTPRoutes.',
    remedy: 'Install the Gateway API, which is noticed by itself, or set output to Ingress.',
    blame: 'host',
  },
  RouteNotAccepted: {
    meaning: 'A Gateway has not accepted the HTTPRoute, or refuses it.',
    remedy: 'The message has its words; check parentRefs and the listeners of the Gateway.',
    blame: 'runtime',
  },
  // --- the applications of a hosted cluster ---
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
  ClusterUnusable: {
    meaning: 'The operator cannot work with the cluster: no access, no rights, or the kinds of oooi are not installed.',
    remedy: 'Do what the message says.',
    blame: 'host',
  },
} as const satisfies Record<string, ReasonText>

export type Reason = keyof typeof reasons
