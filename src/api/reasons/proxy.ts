import type { ReasonTexts } from './reason.ts'

/** About the proxy. */
export const proxyReasons = {
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
    remedy:
      'Check that the Service exists and has ready pods; outside Kubernetes give targetAddress, or in an Infra infraComponents.proxy.targets.',
    blame: 'runtime',
  },
  BackendUnreachable: {
    meaning: 'No target of a backend takes connections, so the proxy cannot pass on what clients send to it.',
    remedy: 'Look at the server the message names and at the way to it; the next connection tries again.',
    blame: 'runtime',
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
} as const satisfies ReasonTexts
