import type { ReasonTexts } from './reason.ts'

/** About the host. */
export const hostReasons = {
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
    remedy:
      'Set `sysctl net.ipv4.ip_unprivileged_port_start=0`, give the program CAP_NET_BIND_SERVICE, or let systemd listen (`oooi up --socket-units`).',
    blame: 'host',
  },
  StateDirUnusable: {
    meaning: 'The state directory is not there, or cannot be created or written.',
    remedy: 'Name the right one, and a writable one, with --state-dir.',
    blame: 'host',
  },
  StateDirInUse: {
    meaning: 'Another oooi process owns the state directory.',
    remedy: 'Stop the other process, or give each its own --state-dir.',
    blame: 'host',
  },
  DescriptorsUnreadable: {
    meaning:
      'LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES, by which systemd passes open descriptors, contradict each other.',
    remedy: 'Start oooi from its systemd unit, or without these variables.',
    blame: 'host',
  },
  FileUnwritable: {
    meaning: 'A file that was asked for cannot be written.',
    remedy: 'Name a directory that this user may write to, or run it as root.',
    blame: 'host',
  },
  SocketUnusable: {
    meaning: 'A descriptor that systemd passed is not a socket that oooi could serve on.',
    remedy: 'Print the socket units that fit with `oooi up -f … --socket-units`.',
    blame: 'host',
  },
  NotRunning: {
    meaning: 'No oooi process answers on the control socket of the state directory.',
    remedy: 'Start `oooi up`, or name the state directory it uses with --state-dir.',
    blame: 'host',
  },
} as const satisfies ReasonTexts
