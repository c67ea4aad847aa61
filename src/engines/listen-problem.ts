import type { Problem } from '../core/result.ts'

interface Place {
  /** Who wants to listen, as a sentence begins: `DHCP`, `The proxy`. */
  readonly who: string
  readonly address: string
  readonly port: number
}

/** What a person can do about an address and port that an engine cannot have. */
export function listenProblem({ who, address, port }: Place, error: unknown): Problem {
  const cannot = `${who} cannot listen on ${address} port ${port}`
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const field = 'spec.networkConfig.serverIP'
  switch (code) {
    case 'EADDRNOTAVAIL':
      return {
        reason: 'AddressMissing',
        message: `${cannot}: no interface of this host has the address; add it with "ip address add"`,
        field,
      }
    case 'EADDRINUSE':
      return {
        reason: 'PortInUse',
        message: `${cannot}: another program does; find it with "ss -lnptu sport = :${port}" and stop it`,
        field,
      }
    case 'EACCES':
    case 'EPERM':
      return {
        reason: 'PermissionDenied',
        message: `${cannot}: this user may not; allow it with "sysctl -w net.ipv4.ip_unprivileged_port_start=${port}", or give the program CAP_NET_BIND_SERVICE`,
        field,
      }
    default:
      return {
        reason: 'ListenFailed',
        message: `${cannot}: ${error instanceof Error ? error.message : String(error)}`,
        field,
      }
  }
}
