import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firmwareFailure, firmwareProgress, plainLine } from './firmware.ts'

/** As iPXE of Debian and SeaBIOS printed it. */
const noConfiguration = [
  '\x1bc\x1b[?7l\x1b[2J\x1b[0mSeaBIOS (version 1.16.2-debian-1.16.2-1)\r',
  'net0: 02:00:6f:6f:fd:01 using virtio-net on 0000:00:02.0 (open)\r',
  'Configuring (net0 02:00:6f:6f:fd:01).................. No configuration methods \r',
  'succeeded (http://ipxe.org/040ee119)\r',
  'No more network devices\r',
  'Booting from Hard Disk...\r',
  'Boot failed: could not read the boot disk\r',
]

describe('what firmware prints', () => {
  it('is read as a person sees it', () => {
    expect(plainLine('\x1b[0;1miPXE 1.0.0\x1b[0m -- \x1b[0;36mhttp\r')).toBe('iPXE 1.0.0 -- http')
    expect(plainLine('Press Ctrl-B\b \b\b \bnet0: open\r')).toBe('Press Ctrlnet0: open')
  })

  it('of any text can be read', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void plainLine(Buffer.from(bytes).toString('latin1'))))
  })

  it('is no failure before it has given up', () => {
    expect(firmwareFailure(noConfiguration)).toBeUndefined()
  })

  it('tells why nothing was booted, also over two lines of an old screen', () => {
    expect(firmwareFailure([...noConfiguration, 'No bootable device.\r'])).toBe(
      'Configuring (net0 02:00:6f:6f:fd:01).................. No configuration methods succeeded (http://ipxe.org/040ee119)',
    )
  })

  it('without a reason is a failure, too', () => {
    expect(firmwareFailure(['No bootable device.'])).toBe('the firmware found nothing to boot')
  })

  it.each([
    [
      'net0: 192.168.100.20/255.255.255.0 gw 192.168.100.1\r',
      'iPXE  net0: 192.168.100.20/255.255.255.0 gw 192.168.100.1',
    ],
    ['tftp://192.168.100.5/boot.ipxe... ok\r', 'iPXE  tftp://192.168.100.5/boot.ipxe... ok'],
    ['net0: fe80::6fff:fe6f:fd01/64\r', undefined],
    ['Booting from ROM...\r', undefined],
  ])('%j is progress or not', (line, shown) => {
    expect(firmwareProgress(line)).toBe(shown)
  })
})
