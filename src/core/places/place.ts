/** Where a process listens. */
export interface Place {
  readonly protocol: 'tcp' | 'udp'
  readonly address: string
  readonly port: number
}

/** The address of everybody on the network, where DHCP clients ask that have no address yet. */
export const everybody = '255.255.255.255'

/** As a key, and as `ss` and systemd's units write it after the protocol. */
export function placeText({ protocol, address, port }: Place): string {
  return `${protocol} ${address.includes(':') ? `[${address}]` : address}:${port}`
}

export function isSamePlace(one: Place, other: Place): boolean {
  return one.protocol === other.protocol && one.address === other.address && one.port === other.port
}
