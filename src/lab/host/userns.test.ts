import { expect, it } from 'vitest'
import { isOwnRoot, remedy } from './userns.ts'

it.each([
  ['         0          0 4294967295\n', false],
  ['         0       1000          1\n', true],
  ['         0       1000          1\n         1     100000      65536\n', false],
  ['', true],
])('whether %j has no user but its root', (map, own) => {
  expect(isOwnRoot(map)).toBe(own)
})

it('the setting that forbids user namespaces is named with the value that allows them', () => {
  const machine = (settings: Record<string, string>) => remedy((setting) => settings[setting])
  expect(machine({ 'user.max_user_namespaces': '96349' })).toBe(
    'a container or a security module forbids it; run `sudo bin/oooi lab`',
  )
  expect(
    machine({ 'kernel.unprivileged_userns_clone': '0', 'kernel.apparmor_restrict_unprivileged_userns': '1' }),
  ).toBe(
    'run `sudo bin/oooi lab`, or allow it with `sudo sysctl -w kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0`',
  )
})
