import { type Packet as DnsPacket, encode } from 'dns-packet'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hello } from '../../engines/proxy/testing/hello-builder.ts'
import { describeFrame } from './packets.ts'
import { dhcp, frame, mac, macBytes, peer, tcp, udp } from './testing.ts'

describe('a packet in words', () => {
  const question: DnsPacket = { type: 'query', id: 1, questions: [{ name: 'api.c1.test', type: 'A' }] }
  const answers: DnsPacket['answers'] = [{ name: 'api.c1.test', type: 'A', ttl: 5, data: '192.168.100.4' }]
  it.each([
    ['a discover', frame('out', 17, udp(68, 67, dhcp(1, macBytes))), 'out DHCP DISCOVER'],
    [
      'an offer',
      frame('in', 17, udp(67, 68, dhcp(2, macBytes, 12, 2, 0x77, 0x31))),
      'in DHCP OFFER 192.168.100.15 hostname w1',
    ],
    ['a question', frame('out', 17, udp(40_000, 53, encode(question))), 'out DNS api.c1.test A?'],
    [
      'an answer',
      frame('in', 17, udp(53, 40_000, encode({ ...question, type: 'response', answers }))),
      'in DNS api.c1.test A is 192.168.100.4',
    ],
    [
      'a name that is not there',
      frame('in', 17, udp(53, 40_000, encode({ ...question, type: 'response', flags: 3 }))),
      'in DNS api.c1.test A is no such name',
    ],
    ['a connection', frame('out', 6, tcp(2)), 'out TCP connect to 192.168.100.3:443'],
    ['a refusal', frame('in', 6, tcp(4)), 'in TCP reset by 192.168.100.3:40000'],
    [
      'a hello',
      frame('out', 6, tcp(24, Buffer.from(hello('api.c1.test')))),
      'out TLS hello to 192.168.100.3:443 for api.c1.test',
    ],
    [
      'a boot file',
      frame('out', 17, udp(40_000, 69, Buffer.from('\0\x01boot.ipxe\0octet\0'))),
      'out TFTP read boot.ipxe of 192.168.100.3',
    ],
    [
      'a boot file that is missing',
      frame('in', 17, udp(40_001, 40_000, Buffer.from('\0\x05\0\x01no such file\0'))),
      'in TFTP 192.168.100.3 says: no such file',
    ],
    [
      'firmware that asks',
      frame('out', 17, udp(68, 67, dhcp(1, macBytes, 93, 2, 0, 7, 77, 4, 0x69, 0x50, 0x58, 0x45))),
      'out DHCP DISCOVER from iPXE architecture (93) 7, x86-64 with UEFI',
    ],
    [
      'firmware of a sort nobody knows',
      frame('out', 17, udp(68, 67, dhcp(3, macBytes, 93, 2, 1, 0))),
      'out DHCP REQUEST architecture (93) 256',
    ],
    [
      'an offer to firmware',
      frame('in', 17, udp(67, 68, dhcp(2, macBytes, 66, 2, 0x62, 0x73, 67, 2, 0x62, 0x66))),
      'in DHCP OFFER 192.168.100.15 boot server (66) bs boot file (67) bf',
    ],
    [
      'a kernel',
      frame('out', 6, tcp(24, Buffer.from('GET /vmlinuz HTTP/1.1\r\n'))),
      'out HTTP GET /vmlinuz of 192.168.100.3',
    ],
    [
      'no kernel',
      frame('in', 6, tcp(24, Buffer.from('HTTP/1.1 404 Not Found\r\nDate: today'))),
      'in HTTP HTTP/1.1 404 Not Found from 192.168.100.3',
    ],
  ])('%s', (_, bytes, words) => {
    const told = describeFrame(bytes, mac)
    expect(told && `${told.direction} ${told.protocol} ${told.text}`).toBe(words)
  })

  it.each([
    ['replies to others', frame('in', 17, udp(67, 68, dhcp(2, peer)))],
    ['a kernel that is sent', frame('in', 6, tcp(24, Buffer.from('HTTP/1.1 200 OK\r\n')))],
    ['acknowledgements', frame('in', 6, tcp(16))],
    ['its own resets', frame('out', 6, tcp(4))],
    ['other protocols', frame('out', 17, udp(1, 2, Buffer.alloc(9)))],
  ])('says nothing of %s', (_, bytes) => {
    expect(describeFrame(bytes, mac)).toBeUndefined()
  })

  it('survives any bytes', () => {
    const any = fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes))
    fc.assert(
      fc.property(any, fc.constantFrom(1, 6, 17), (bytes, protocol) => {
        describeFrame(bytes, mac)
        describeFrame(frame('in', protocol, bytes), mac)
        describeFrame(frame('in', 17, udp(53, 40_000, bytes)), mac)
        describeFrame(frame('in', 17, udp(67, 68, bytes)), mac)
      }),
    )
  })
})
