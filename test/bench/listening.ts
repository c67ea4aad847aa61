import { readFile } from 'node:fs/promises'
import { parseIpv4 } from '../../src/core/net/ipv4.ts'

const unspecified = '00000000'

/** Has somebody in the network namespace of that process this address and port? Asked of the kernel, so that nothing has to be sent. */
export async function isListening(
  pid: number,
  protocol: 'tcp' | 'udp',
  address: string,
  port: number,
): Promise<boolean> {
  const tables = await Promise.all(
    [protocol, `${protocol}6`].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => '')),
  )
  return tables.some((text) => hasListener(text, protocol, address, port))
}

/** From /proc/net/tcp or udp: addresses are hexadecimal in the byte order of the machine, state 0A is LISTEN. */
export function hasListener(table: string, protocol: 'tcp' | 'udp', address: string, port: number): boolean {
  const wanted = [littleEndian(parseIpv4(address) ?? 0), unspecified]
  const portText = port.toString(16).toUpperCase().padStart(4, '0')
  return table
    .split('\n')
    .slice(1)
    .some((line) => {
      const [, local = '', , state] = line.trim().split(/\s+/)
      const [localAddress = '', localPort] = local.split(':')
      const isOpen = protocol === 'udp' ? state === '07' : state === '0A'
      // The last eight digits are the IPv4 address, mapped into IPv6 or plain.
      return isOpen && localPort === portText && wanted.includes(localAddress.slice(-8))
    })
}

function littleEndian(address: number): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(address)
  return bytes.toString('hex').toUpperCase()
}
