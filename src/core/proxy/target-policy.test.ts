import { expect, it } from 'vitest'
import { isRemoteUnicast } from './target-policy.ts'

it.each(['10.0.0.1', '192.168.100.240', '172.30.0.1', '2001:db8::1', 'fd00::1', '::ffff:10.0.0.1'])(
  'allows %s',
  (address) => expect(isRemoteUnicast(address)).toBe(true),
)

it.each([
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '169.254.169.254',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:169.254.169.254',
  'fe80::1',
  'febf::1',
  'ff02::1',
  'localhost',
  '',
])('refuses %s', (address) => expect(isRemoteUnicast(address)).toBe(false))
