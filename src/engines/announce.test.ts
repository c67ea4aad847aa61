import { expect, test } from 'vitest'
import { parseCidr } from '../core/net/cidr.ts'
import { announce, neighbourOf } from './announce.ts'

test.each([
  ['192.168.100.3', '192.168.100.0/24', '192.168.100.254'],
  ['192.168.100.254', '192.168.100.0/24', '192.168.100.253'],
  ['10.0.0.1', '10.0.0.0/30', '10.0.0.2'],
  ['10.0.0.1', '10.0.0.0/31', '10.0.0.0'],
  ['10.0.0.1', '10.0.0.1/32', undefined],
])('%s on %s asks for %s', (address, network, neighbour) => {
  expect(neighbourOf(address, parseCidr(network))).toBe(neighbour)
})

test('an address that nobody has, or only this machine, is not announced', () => {
  expect(() => announce('127.0.0.1')).not.toThrow()
  expect(() => announce('192.0.2.1')).not.toThrow()
})
