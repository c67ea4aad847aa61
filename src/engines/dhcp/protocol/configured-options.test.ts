import { describe, expect, test } from 'vitest'
import { readSettings } from '../config.ts'
import { parseReply } from '../testing/packets.ts'
import { dhcpServer, Vlan } from '../testing/vlan.ts'

const mac = '02:00:00:00:00:01'
const routes = [{ to: '10.0.0.0/8', via: '192.168.100.7' }]
const routesHex = '080ac0a86407'
const defaultHex = '00c0a86401'

function offer(spec: Parameters<typeof dhcpServer>[0], asked: readonly number[] | undefined, size?: number) {
  const options: [number, number[]][] = asked === undefined ? [] : [[55, [...asked]]]
  if (size !== undefined) options.push([57, [size >> 8, size & 255]])
  const { reply } = new Vlan(spec).send({ type: 'discover', mac, options })
  if (reply === undefined) throw new Error('no offer')
  return reply
}

describe('options by name', () => {
  test('time servers (42), search domains (119), boot server and file (66, 67)', () => {
    const clientOptions = {
      ntpServers: ['192.168.100.5', '192.168.100.6'],
      searchDomains: ['c1.example.com', 'example.com'],
      boot: { server: '192.168.100.9', file: 'ipxe.efi' },
    }
    const reply = offer({ spec: { clientOptions } }, [42, 119, 66, 67])
    expect(reply.addresses(42)).toBe('192.168.100.5,192.168.100.6')
    expect(reply.options.get(119)?.toString('latin1')).toBe('\x02c1\x07example\x03com\0\xc0\x03')
    expect([reply.options.get(66)?.toString(), reply.options.get(67)?.toString()]).toEqual([
      '192.168.100.9',
      'ipxe.efi',
    ])
  })

  test('next server and boot file are in the header too, asked for or not, but not in a NAK', () => {
    const vlan = new Vlan({ spec: { clientOptions: { boot: { server: '192.168.100.9', file: 'ipxe.efi' } } } })
    const offered = vlan.send({ type: 'discover', mac, options: [[55, [1]]] })
    const bytes = offered.outcome.replies[0]?.bytes
    expect(offered.reply?.serverAddress).toBe('192.168.100.9')
    expect(bytes?.toString('latin1', 108, 117)).toBe('ipxe.efi\0')
    const nak = vlan.send({ type: 'request', mac, clientAddress: '10.9.9.9' })
    expect([nak.result, nak.reply?.serverAddress]).toEqual(['nak', '0.0.0.0'])
    expect(nak.outcome.replies[0]?.bytes[108]).toBe(0)
  })

  test('a file name too long for the header is in option 67 alone; without a server there is no next server', () => {
    const file = `http://boot.example.com/${'x'.repeat(120)}`
    const vlan = new Vlan({ spec: { clientOptions: { boot: { file } } } })
    const { reply, outcome } = vlan.send({ type: 'discover', mac, options: [[55, [66, 67]]] })
    expect([reply?.options.get(67)?.toString(), reply?.options.get(66), reply?.serverAddress]).toEqual([
      file,
      undefined,
      '0.0.0.0',
    ])
    expect(outcome.replies[0]?.bytes[108]).toBe(0)
  })

  test('case 25: routes (121) have the default route in them and come before the router', () => {
    const reply = offer({ spec: { clientOptions: { routes } } }, [3, 121])
    expect(reply.options.get(121)?.toString('hex')).toBe(routesHex + defaultHex)
    expect(reply.order.filter((code) => code === 3 || code === 121)).toEqual([121, 3])
  })

  test('case 25: no gateway, no default route; a default route of their own stays the only one', () => {
    const without = offer({ gateway: undefined, spec: { clientOptions: { routes } } }, [121])
    expect(without.options.get(121)?.toString('hex')).toBe(routesHex)
    const own = [{ to: '0.0.0.0/0', via: '192.168.100.7' }]
    expect(
      offer({ spec: { clientOptions: { routes: own } } }, [121])
        .options.get(121)
        ?.toString('hex'),
    ).toBe('00c0a86407')
  })

  test('case 25: 249 only for a client that asks for it', () => {
    const text = { spec: { clientOptions: { routes } } }
    expect(offer(text, [121]).order).not.toContain(249)
    expect(offer(text, undefined).order).not.toContain(249)
    expect(offer(text, [249]).options.get(249)?.toString('hex')).toBe(routesHex + defaultHex)
  })

  test('case 21, 26: what is longer than 255 bytes goes out in parts, if the client takes so much', () => {
    const searchDomains = Array.from({ length: 32 }, (_, index) => `zone-number-${index}.example-${index}.com`)
    const text = { spec: { clientOptions: { searchDomains } } }
    const reply = offer(text, [119], 1500)
    expect(reply.order.filter((code) => code === 119).length).toBeGreaterThan(2)
    expect(reply.options.get(119)?.length).toBeGreaterThan(510)
    expect(offer(text, [119]).order).not.toContain(119)
  })

  test('nobody is lent the address of a router, time or boot server', () => {
    const clientOptions = {
      routes: [{ to: '10.0.0.0/8', via: '192.168.100.10' }],
      ntpServers: ['192.168.100.11'],
      boot: { server: '192.168.100.12', file: 'x' },
    }
    expect(new Vlan({ spec: { clientOptions } }).join(mac)).toBe('192.168.100.13')
  })
})

describe('options by number', () => {
  test('win over networkConfig, and further ones are sent to who asks', () => {
    const options = [
      { code: 3, value: '192.168.100.8' },
      { code: 6, value: '192.168.100.3,192.168.100.4' },
      { code: 252, value: 'http://192.168.100.5/wpad.dat' },
      { code: 43, value: '0x0104c0a86401' },
    ]
    const reply = offer({ spec: { options } }, [3, 6, 43])
    expect([reply.addresses(3), reply.addresses(6)]).toEqual(['192.168.100.8', '192.168.100.3,192.168.100.4'])
    expect([reply.options.get(43)?.toString('hex'), reply.order.includes(252)]).toEqual(['0104c0a86401', false])
  })

  test('next server, boot file, domain and MTU are heeded by number as by name', () => {
    const options = [
      { code: 66, value: '192.168.100.9' },
      { code: 67, value: 'undionly.kpxe' },
      { code: 15, value: 'c1.example.com' },
      { code: 26, value: '600' },
      { code: 252, value: 'x'.repeat(255) },
    ]
    const vlan = new Vlan({ spec: { options, reservations: [{ mac, hostname: 'w1' }] } })
    const { reply, outcome } = vlan.send({ type: 'discover', mac, options: [[81, [0, 0, 0]]] })
    expect(reply?.serverAddress).toBe('192.168.100.9')
    expect(outcome.replies[0]?.bytes.toString('latin1', 108, 121)).toBe('undionly.kpxe')
    const named = vlan.send({
      type: 'discover',
      mac,
      options: [
        [55, [15]],
        [81, [0, 0, 0]],
      ],
    })
    expect(named.reply?.options.get(81)?.toString('latin1', 3)).toBe('w1.c1.example.com')
    const large = vlan.send({ type: 'discover', mac, options: [[57, [5, 220]]] })
    expect(large.reply?.length).toBeLessThanOrEqual(600 - 28)
  })

  test('a host name by number is for clients that have none of their own', () => {
    const spec = { options: [{ code: 12, value: 'node' }], reservations: [{ mac, hostname: 'w1' }] }
    const vlan = new Vlan({ spec })
    const nameOf = (client: string) =>
      parseReply(
        vlan.send({ type: 'discover', mac: client, options: [[55, [12]]] }).outcome.replies[0]?.bytes ??
          Buffer.alloc(241, 255),
      )
        .options.get(12)
        ?.toString()
    expect([nameOf(mac), nameOf('02:00:00:00:00:02')]).toEqual(['w1', 'node'])
  })

  test('a value that does not fit its option is a problem that says what would', () => {
    const options = [
      { code: 3, value: '192.168.100.1' },
      { code: 6, value: 'dns.example.com' },
    ]
    expect(readSettings(dhcpServer({ spec: { options } }))).toEqual({
      ok: false,
      problems: [
        {
          reason: 'InvalidField',
          message:
            'DHCPServer vlan/dhcp: spec.options[1].value is "dns.example.com" for option 6; expected IPv4 addresses separated by commas',
          field: 'spec.options[1].value',
        },
      ],
    })
  })
})
