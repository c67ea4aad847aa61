import type { ReasonTexts } from './reason.ts'

/** About DHCP. */
export const dhcpReasons = {
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
} as const satisfies ReasonTexts
