import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inheritedDescriptors } from './inherited-descriptors.ts'

const pid = 4711

function read(env: Record<string, string>) {
  return inheritedDescriptors(env, pid)
}

test('descriptors begin at 3 and have the names of their units', () => {
  expect(read({ LISTEN_PID: '4711', LISTEN_FDS: '2', LISTEN_FDNAMES: 'c1-dns:journal' })).toEqual({
    ok: true,
    value: [
      { fd: 3, name: 'c1-dns' },
      { fd: 4, name: 'journal' },
    ],
  })
})

test('without names they are unknown, as sd_listen_fds calls them', () => {
  expect(read({ LISTEN_PID: '4711', LISTEN_FDS: '1' })).toEqual({ ok: true, value: [{ fd: 3, name: 'unknown' }] })
})

test.each<[string, Record<string, string>]>([
  ['not started by systemd', {}],
  ['no descriptors', { LISTEN_PID: '4711', LISTEN_FDS: '0', LISTEN_FDNAMES: '' }],
  ['meant for the process that started us', { LISTEN_PID: '1', LISTEN_FDS: '2', LISTEN_FDNAMES: 'a:b' }],
  ['a count without the process it is for', { LISTEN_FDS: '2' }],
  ['a process without a count', { LISTEN_PID: '4711' }],
])('none: %s', (_, env) => {
  expect(read(env)).toEqual({ ok: true, value: [] })
})

test.each<[Record<string, string>, string]>([
  [{ LISTEN_PID: 'me', LISTEN_FDS: '1' }, 'LISTEN_PID is "me"; it must be the number of a process.'],
  [{ LISTEN_PID: '4711', LISTEN_FDS: '-1' }, 'LISTEN_FDS is "-1"; it must be a number from 0 to 1048576.'],
  [{ LISTEN_PID: '4711', LISTEN_FDS: '9999999' }, 'LISTEN_FDS is "9999999"; it must be a number from 0 to 1048576.'],
  [
    { LISTEN_PID: '4711', LISTEN_FDS: '2', LISTEN_FDNAMES: 'dns' },
    'LISTEN_FDNAMES has 1 names, but LISTEN_FDS says 2; each descriptor needs one.',
  ],
])('refused: %j', (env, message) => {
  expect(read(env)).toEqual({ ok: false, problems: [{ reason: 'DescriptorsUnreadable', message }] })
})

const text = fc.oneof(fc.string(), fc.integer().map(String))

test('whatever the environment says, the answer is descriptors or one sentence', () => {
  const environment = fc.record({ LISTEN_PID: text, LISTEN_FDS: text, LISTEN_FDNAMES: text }, { requiredKeys: [] })
  fc.assert(
    fc.property(environment, fc.boolean(), (env, ours) => {
      const result = inheritedDescriptors(ours ? { ...env, LISTEN_PID: '4711' } : env, pid)
      if (result.ok) expect(result.value.every(({ fd }) => fd >= 3)).toBe(true)
      else expect(result.problems.map(({ message }) => message.endsWith('.'))).toEqual([true])
    }),
  )
})
