import { expect, it } from 'vitest'
import { hasListener } from './listening.ts'

const udp = `   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
  1: 0100007F:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 1 2 0000000000000000 0
  2: 00000000:0043 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 1 2 0000000000000000 0
`
const tcp6 = `  sl  local_address                         remote_address                        st
   0: 0000000000000000FFFF00000A01A8C0:01BB 00000000000000000000000000000000:0000 0A 00000000:00000000
   1: 0000000000000000FFFF00000A01A8C0:1F90 0000000000000000FFFF00000A01A8C0:01BC 01 00000000:00000000
`

it('finds a socket by its address and port', () => {
  expect(hasListener(udp, 'udp', '127.0.0.1', 53)).toBe(true)
  expect(hasListener(udp, 'udp', '127.0.0.2', 53)).toBe(false)
  expect(hasListener(udp, 'udp', '127.0.0.1', 54)).toBe(false)
})

it('a socket without an address has them all', () => {
  expect(hasListener(udp, 'udp', '10.77.0.2', 67)).toBe(true)
})

it('knows IPv4 in IPv6 sockets, and a connection from a listener', () => {
  expect(hasListener(tcp6, 'tcp', '192.168.1.10', 443)).toBe(true)
  expect(hasListener(tcp6, 'tcp', '192.168.1.10', 8080)).toBe(false)
})

it('an empty table has no listener', () => {
  expect(hasListener('', 'tcp', '127.0.0.1', 53)).toBe(false)
})
