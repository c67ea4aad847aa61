import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import * as field from './fields.ts'

const examples: Record<string, { schema: z.ZodType; good: unknown[]; bad: unknown[] }> = {
  ipv4: {
    schema: field.ipv4,
    good: ['0.0.0.0', '192.168.100.2'],
    bad: ['1.2.3', '1.2.3.256', '01.2.3.4', '::1', 5, null],
  },
  ip: { schema: field.ip, good: ['10.0.0.1', '::1', 'fd00::1'], bad: ['host', 'fe80::1%eth0', ''] },
  serverAddress: {
    schema: field.serverAddress,
    good: ['192.168.100.2', '192.168.100.2/24', '10.0.0.1/0', '10.0.0.1/32'],
    bad: ['192.168.100.2/33', '192.168.100.2/', '192.168.100.2/024', 'host'],
  },
  cidr: {
    schema: field.cidr,
    good: ['0.0.0.0/0', '192.168.100.0/24'],
    bad: ['192.168.100.1/24', '192.168.100.0', '10.0.0.0/33'],
  },
  addressRange: {
    schema: field.addressRange,
    good: ['10.0.0.1', '10.0.0.1-10.0.0.9'],
    bad: ['10.0.0.9-10.0.0.1', '10.0.0.0/24'],
  },
  addressPool: {
    schema: field.addressPool,
    good: ['10.0.0.1-10.0.0.9', '10.0.0.0/28', '10.0.0.0/28, 10.1.0.1-10.1.0.2'],
    bad: ['', '10.0.0.0/28,', ['10.0.0.0/28']],
  },
  mac: { schema: field.mac, good: ['02:00:00:00:00:01', '02-00-00-00-00-0A'], bad: ['02:00', 120_000] },
  hostnamePattern: {
    schema: field.hostnamePattern,
    good: ['*.apps.c1.example.com', 'kubernetes'],
    bad: ['*', 'a..b', '*.*.x'],
  },
  label: { schema: field.label, good: ['c1', 'a'.repeat(63)], bad: ['a.b', 'A', '-a', '', 'a'.repeat(64)] },
  objectName: { schema: field.objectName, good: ['a.b-c.d'], bad: ['a..b', 'a_b', '.', 'A'] },
  addressOrName: {
    schema: field.addressOrName,
    good: ['10.0.0.1', '::1', 'proxy.svc'],
    bad: ['300.1.2.3', '1.2', '', 'a b'],
  },
  upstream: {
    schema: field.upstream,
    good: ['10.0.0.53', '10.0.0.53:5353', '::1', '[::1]:53', 'resolv.conf', 'tls://9.9.9.9#dns.quad9.net'],
    bad: [
      'dns.example.com',
      '10.0.0.53:0',
      '10.0.0.53:65536',
      '::1:',
      'tls://9.9.9.9',
      '/etc/resolv.conf',
      'tls://host#x',
    ],
  },
  leaseTime: {
    schema: field.leaseTime,
    good: ['1s', '1h30m', '87600h'],
    bad: ['0s', '999ms', '87601h', '1d', '', 3600],
  },
  quantity: { schema: field.quantity, good: ['25Mi', '1', '10G'], bad: ['0', '-1Mi', '1.5Gi', '1MB'] },
  port: { schema: field.port, good: [1, 65_535], bad: [0, 65_536, '443', 1.5, Number.NaN] },
}

describe.each(Object.entries(examples))('%s', (_, { schema, good, bad }) => {
  test.each(good)('takes %j', (value) => {
    expect(schema.safeParse(value).success).toBe(true)
  })
  test.each(bad)('refuses %j', (value) => {
    expect(schema.safeParse(value).success).toBe(false)
  })
})

/** Texts near the formats, and anything at all. */
const text = fc.oneof(
  fc.ipV4(),
  fc.tuple(fc.ipV4(), fc.nat(40)).map(([address, length]) => `${address}/${length}`),
  fc.domain(),
  fc.stringMatching(/^[a-z0-9.-]{0,70}$/),
  fc.stringMatching(/^[0-9.]{0,16}(\/[0-9]{0,3})?$/),
  fc.string(),
)

describe('a pattern says exactly what the parser takes, so that the API server agrees with files', () => {
  test.each([
    ['ipv4', field.ipv4],
    ['serverAddress', field.serverAddress],
    ['label', field.label],
    ['objectName', field.objectName],
    ['quantity', field.quantity],
  ])('%s', (_, schema) => {
    const pattern = new RegExp(String(schema.meta()?.pattern), 'u')
    fc.assert(
      fc.property(text, (value) => {
        const isShortEnough = schema.safeParse('x'.repeat(value.length)).error?.issues[0]?.code !== 'too_big'
        expect(schema.safeParse(value).success).toBe(isShortEnough && pattern.test(value))
      }),
      { numRuns: 1000 },
    )
  })

  test('duration, apart from its bounds', () => {
    const schema = field.duration({ min: '0s', max: `${10 ** 15}h` })
    const pattern = new RegExp(String(schema.meta()?.pattern), 'u')
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9.hmsnuµ]{0,9}$/), (value) => {
        expect(schema.safeParse(value).success).toBe(pattern.test(value))
      }),
      { numRuns: 2000 },
    )
  })
})
