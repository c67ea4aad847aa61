import type { ReasonTexts } from './reason.ts'

/** About the operator. */
export const operatorReasons = {
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
  TooManyMachines: {
    meaning:
      'The clusters of the Infra have more virtual machines than one DHCP server is told of; the rest have no name, and no address where only known clients get one.',
    remedy: 'Spread the clusters over several Infras, each with its own VLAN.',
    blame: 'runtime',
  },
  MachinesUnknown: {
    meaning: 'The server belongs to no Infra, so it is not known whose virtual machines its clients are.',
    remedy: 'Nothing, if reservations name them; else let an Infra make the server.',
    blame: 'runtime',
  },
  ClusterUnusable: {
    meaning: 'The operator cannot work with the cluster: no access, no rights, or the kinds of oooi are not installed.',
    remedy: 'Do what the message says.',
    blame: 'host',
  },
} as const satisfies ReasonTexts
