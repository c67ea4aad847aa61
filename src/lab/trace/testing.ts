/** Frames as tests need them: a machine at 192.168.100.15 that talks to a server at 192.168.100.3. */

export const mac = '02:00:6f:6f:00:01'
export const macBytes = Buffer.from(mac.replaceAll(':', ''), 'hex')
export const peer = Buffer.from('020000000002', 'hex')

/** An Ethernet frame with an IPv4 packet from 192.168.100.15 to 192.168.100.3, or back. */
export function frame(direction: 'out' | 'in', protocol: number, payload: Buffer): Buffer {
  const ethernet = Buffer.concat([...(direction === 'out' ? [peer, macBytes] : [macBytes, peer]), Buffer.from([8, 0])])
  const ends = ['c0a8640f', 'c0a86403'].map((text) => Buffer.from(text, 'hex'))
  const ip = Buffer.alloc(12)
  ip.writeUInt8(0x45, 0)
  ip.writeUInt16BE(20 + payload.length, 2)
  ip.writeUInt8(protocol, 9)
  return Buffer.concat([ethernet, ip, ...(direction === 'out' ? ends : ends.toReversed()), payload])
}

export function udp(from: number, to: number, data: Buffer): Buffer {
  const header = Buffer.alloc(8)
  header.writeUInt16BE(from, 0)
  header.writeUInt16BE(to, 2)
  return Buffer.concat([header, data])
}

export function tcp(flags: number, data: Buffer = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(20)
  header.writeUInt16BE(40_000, 0)
  header.writeUInt16BE(443, 2)
  header.writeUInt8(0x50, 12)
  header.writeUInt8(flags, 13)
  return Buffer.concat([header, data])
}

export function dhcp(type: number, owner: Buffer, ...options: number[]): Buffer {
  const packet = Buffer.alloc(240)
  owner.copy(packet, 28)
  packet.writeUInt32BE(0x63825363, 236)
  if (type === 2) packet.writeUInt32BE(0xc0a8640f, 16)
  return Buffer.concat([packet, Buffer.from([53, 1, type, ...options, 255])])
}
