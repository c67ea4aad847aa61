import fc from 'fast-check'
import { expect, test } from 'vitest'
import { journalEntry } from './entry.ts'

/** What journald reads from a datagram, by the description of its native protocol. */
function read(entry: Buffer): [string, string][] {
  const fields: [string, string][] = []
  for (let at = 0; at < entry.length; ) {
    const end = entry.indexOf('\n', at)
    const equals = entry.subarray(at, end).indexOf('=')
    if (equals >= 0) {
      fields.push([entry.toString('utf8', at, at + equals), entry.toString('utf8', at + equals + 1, end)])
      at = end + 1
    } else {
      const length = Number(entry.readBigUInt64LE(end + 1))
      fields.push([entry.toString('utf8', at, end), entry.toString('utf8', end + 9, end + 9 + length)])
      expect(entry[end + 9 + length]).toBe(0x0a)
      at = end + 10 + length
    }
  }
  return fields
}

function entryOf(record: object): [string, string][] {
  return read(journalEntry(`${JSON.stringify(record)}\n`, 'oooi'))
}

test('a line becomes a text to read and a field for everything in it', () => {
  expect(
    entryOf({
      level: 'warn',
      time: '2026-01-01T00:00:00.000Z',
      infra: 'c1',
      component: 'dhcp',
      mac: '52:54:00:00:00:01',
      reason: 'PoolExhausted',
      leaseSeconds: 3600,
      msg: 'client refused',
    }),
  ).toEqual([
    ['MESSAGE', 'client refused infra=c1 component=dhcp mac=52:54:00:00:00:01 reason=PoolExhausted leaseSeconds=3600'],
    ['PRIORITY', '4'],
    ['SYSLOG_IDENTIFIER', 'oooi'],
    ['OOOI_INFRA', 'c1'],
    ['OOOI_COMPONENT', 'dhcp'],
    ['OOOI_MAC', '52:54:00:00:00:01'],
    ['OOOI_REASON', 'PoolExhausted'],
    ['OOOI_LEASE_SECONDS', '3600'],
  ])
})

test('a problem is found by its reason and field, however deep in the line', () => {
  const at = { file: '/etc/oooi/infra.d/c1.yaml', line: 7 }
  const problems = [
    { reason: 'AddressMissing', message: 'no 192.0.2.1' },
    { reason: 'OutsideCidr', message: 'a\nb', field: 'spec.x', at },
  ]
  expect(entryOf({ level: 'error', problems, msg: 'not served' })).toEqual([
    [
      'MESSAGE',
      'not served reason=AddressMissing message="no 192.0.2.1" reason=OutsideCidr message="a\\nb" field=spec.x file=/etc/oooi/infra.d/c1.yaml line=7',
    ],
    ['PRIORITY', '3'],
    ['SYSLOG_IDENTIFIER', 'oooi'],
    ['OOOI_REASON', 'AddressMissing'],
    ['OOOI_MESSAGE', 'no 192.0.2.1'],
    ['OOOI_REASON', 'OutsideCidr'],
    ['OOOI_MESSAGE', 'a\nb'],
    ['OOOI_FIELD', 'spec.x'],
    ['OOOI_FILE', '/etc/oooi/infra.d/c1.yaml'],
    ['OOOI_LINE', '7'],
  ])
})

test('a long value is whole in its field and short in the text', () => {
  const [message, , , value] = entryOf({ level: 'info', text: 'x'.repeat(1000), msg: 'long' })
  expect(message?.[1]).toHaveLength('long text=…'.length + 300)
  expect(value?.[1]).toHaveLength(1000)
})

test('what is no line of ours is all message', () => {
  expect(read(journalEntry('(node:7) Warning\n', 'oooi'))).toEqual([
    ['MESSAGE', '(node:7) Warning'],
    ['PRIORITY', '6'],
    ['SYSLOG_IDENTIFIER', 'oooi'],
  ])
})

test('whatever is logged, the fields have names that the journal takes and values as they were', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string({ unit: 'grapheme' })), (values) => {
      const { level, time, msg, ...rest } = values
      const fields = entryOf({ ...rest, level: 'info', msg: 'm' }).slice(3)
      expect(fields.map(([, value]) => value)).toEqual(Object.values({ ...rest }).slice(0, 200))
      for (const [name] of fields) expect(name).toMatch(/^OOOI_[A-Z0-9_]{0,59}$/)
    }),
  )
})
