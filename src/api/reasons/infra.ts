import type { ReasonTexts } from './reason.ts'

/** About an Infra as a whole. */
export const infraReasons = {
  AddressTaken: {
    meaning: 'An address of a server lies in the range that DHCP gives to clients, or is reserved for one of them.',
    remedy: 'Move the address or the range, or list the address in infraComponents.dhcp.exclusions.',
    blame: 'input',
  },
  NameTaken: {
    meaning:
      'A name is wanted that something else has: one that leads to the control plane, or that of another Infra of the host.',
    remedy: 'Choose another name.',
    blame: 'input',
  },
  NoResolver: {
    meaning: 'DHCP has no DNS server to tell its clients.',
    remedy: 'Switch infraComponents.dns on, or list addresses in networkConfig.dnsServers.',
    blame: 'input',
  },
} as const satisfies ReasonTexts
