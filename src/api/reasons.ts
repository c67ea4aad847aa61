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
    meaning: 'A backend goes to an address that connections may not be passed on to, such as loopback.',
    remedy: 'Give the backend an address that its service has on a network.',
    blame: 'input',
  },
  TargetUnresolved: {
    meaning: 'No address is known yet of the Service that a backend names.',
    remedy: 'Check that the Service exists and has ready pods; outside Kubernetes give targetAddress.',
    blame: 'runtime',
  },
  // --- the lab ---
  LabNotPossible: {
    meaning: 'The lab cannot run on this machine as it is.',
    remedy: 'Do what the message says; `make setup` installs what is missing on Debian.',
    blame: 'host',
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
} as const satisfies Record<string, ReasonText>

export type Reason = keyof typeof reasons
