import { describe, expect, it } from 'vitest'
import { formatUpstream, parseUpstream, resolversIn } from './upstream-address.ts'

describe('the address of an upstream', () => {
  it.each([
    ['10.0.0.53', '10.0.0.53:53'],
    ['10.0.0.53:5353', '10.0.0.53:5353'],
    ['fd00::53', '[fd00::53]:53'],
    ['[fd00::53]:5353', '[fd00::53]:5353'],
    ['[fd00::53]', '[fd00::53]:53'],
    ['fe80::1%eth0', '[fe80::1%eth0]:53'],
    ['10.0.0.53:0', undefined],
    ['10.0.0.53:99999', undefined],
    ['[10.0.0.53]:53', undefined],
    ['dns.example.com', undefined],
    ['tls://10.0.0.53#dns.example.com', 'tls://10.0.0.53:853#dns.example.com'],
    ['tls://10.0.0.53:8853#dns.example.com', 'tls://10.0.0.53:8853#dns.example.com'],
    ['tls://fd00::53#dns.example.com', 'tls://[fd00::53]:853#dns.example.com'],
    ['tls://10.0.0.53', undefined],
    ['tls://10.0.0.53#', undefined],
    ['tls://dns.example.com#dns.example.com', undefined],
    ['', undefined],
  ])('%s: %s', (text, expected) => {
    const upstream = parseUpstream(text)
    expect(upstream && formatUpstream(upstream)).toBe(expected)
  })

  it('resolv.conf gives its name servers in order, and nothing else', () => {
    const text =
      '# comment\nsearch example.com\n nameserver 10.0.0.1\nnameserver\t10.0.0.2 # x\noptions ndots:5\nnameserver nonsense\nnameserver fd00::1\n#nameserver 10.0.0.9'
    expect(resolversIn(text).map(formatUpstream)).toEqual(['10.0.0.1:53', '10.0.0.2:53', '[fd00::1]:53'])
    expect(resolversIn('')).toEqual([])
  })
})
