/** Where a socket is bound. */
export interface BoundPlace {
  readonly protocol: 'tcp' | 'udp'
  readonly address: string
  readonly port: number
}

/** What the kernel tells of an open socket in /proc/net. */
export interface TableEntry extends BoundPlace {
  readonly inode: number
  readonly isListening: boolean
}

/** The states of a socket that waits for others, of TCP and of UDP: `LISTEN`, and `CLOSE` for unconnected. */
const waitingStates = { tcp: '0A', udp: '07' }

/** Reads /proc/net/tcp, tcp6, udp or udp6. The addresses in it are in the byte order of the host. */
export function readSocketTable(text: string, protocol: 'tcp' | 'udp', isLittleEndian: boolean): TableEntry[] {
  return text.split('\n').flatMap((line): TableEntry[] => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
    const match = /^([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4})$/.exec(local)
    const [, address = '', port = ''] = match ?? []
    if (!match || !/^\d+$/.test(inode)) return []
    return [
      {
        inode: Number(inode),
        protocol,
        address: formatAddress(bytesOf(address, isLittleEndian)),
        port: Number.parseInt(port, 16),
        isListening: state === waitingStates[protocol],
      },
    ]
  })
}

/** Each group of four bytes is one number of the host. */
function bytesOf(hex: string, isLittleEndian: boolean): number[] {
  const words = hex.match(/.{8}/g) ?? []
  return words.flatMap((word) => {
    const bytes = (word.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16))
    return isLittleEndian ? bytes.reverse() : bytes
  })
}

function formatAddress(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0)).toString(16),
  )
  // The way that everybody writes it (RFC 5952), by the one who knows how.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}
