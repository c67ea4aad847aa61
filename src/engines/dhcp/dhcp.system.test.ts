import { writeFileSync } from 'node:fs'
import { chown, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { run } from '../../lab/host/command.ts'
import { ordinaryUser } from '../../lab/host/userns.ts'
import { until } from '../../lab/testing.ts'
import { encodeCommit, header } from './journal/format.ts'
import { journalPath } from './journal/open.ts'
import { type ClientProgram, clientPrograms } from './testing/real-client.ts'
import { macOf, RealVlan, smallNetwork, strangerMac } from './testing/real-vlan.ts'

const large = {
  cidr: '10.77.16.0/20',
  serverIP: '10.77.16.2',
  gateway: '10.77.16.1',
  dnsServers: ['10.77.16.3', '10.77.16.4'],
  range: ['10.77.17.0', '10.77.31.254'],
  spec: {
    clientOptions: { mtu: 1400, domainName: 'c1.example.com' },
    reservations: clientPrograms.map((program) => ({ mac: macOf(program), vmName: `vm-${program}` })),
  },
} as const
const small = { ...smallNetwork, gateway: undefined } as const

type Manifest = Parameters<RealVlan['serve']>[0]
function manifest(text: typeof large | typeof small, changes: Manifest = {}): Manifest {
  const spec = 'spec' in text ? { ...text.spec, reservations: [...text.spec.reservations] } : {}
  return { ...text, ...changes, spec: { ...spec, ...changes?.spec } }
}

/** A journal that ends where a page of the disk ends, so that the next byte needs another page. */
function journalOfOnePage(): string {
  const lease = {
    address: 0xc0a8641e,
    mac: '02:00:00:00:00:77',
    clientId: '',
    hostname: 'x',
    vmName: '',
    cluster: '',
    state: 'Expired' as const,
    startMs: 0,
    expiresMs: 0,
    sequence: 1,
  }
  const missing = 4096 - header.length - encodeCommit([lease]).length
  return header + encodeCommit([{ ...lease, hostname: 'x'.repeat(1 + missing) }]).toString()
}

let vlan: RealVlan
async function build(text: typeof large | typeof small): Promise<void> {
  vlan = await RealVlan.build(text)
}
afterEach(() => vlan.ledger.clear())

function all<Value>(each: (program: ClientProgram) => Promise<Value>): Promise<Value[]> {
  return Promise.all(clientPrograms.map(each))
}

describe('real clients on a /20', () => {
  beforeEach(() => build(large))

  test('get address, mask, router, resolvers, name and MTU; nothing of it leaves the pod network interface', async () => {
    const leftPodSide = await vlan.catchLeaving('eth0')
    const leftVlanSide = await vlan.catchLeaving('net1')
    await vlan.serve(manifest(large))
    const addresses = await all(async (program) => {
      const { fields } = await vlan.clients[program].boot()
      expect(fields).toMatchObject({
        mask: '255.255.240.0',
        router: '10.77.16.1',
        hostname: `vm-${program}`,
        domain: 'c1.example.com',
        mtu: '1400',
        lease: '3600',
      })
      expect(await vlan.leaseOf(program)).toMatchObject({
        address: fields.address,
        hostname: `vm-${program}`,
        vmName: `vm-${program}`,
        state: 'Active',
      })
      const onInterface = await run('ip', [
        '-n',
        vlan.clients[program].namespace,
        '-4',
        '-o',
        'address',
        'show',
        'dev',
        'eth0',
      ])
      expect(onInterface).toContain(`${fields.address}/20`)
      return fields.address
    })
    expect(new Set(addresses).size).toBe(3)

    // A stranger on the pod network asks too: it is heard, but the answer goes to the VLAN and no lease is made.
    const answer = await Promise.race([
      vlan.stranger.boot().catch(() => 'none'),
      new Promise((resolve) => setTimeout(resolve, 3000, 'none')),
    ])
    expect(answer).toBe('none')
    expect(await vlan.leases()).toHaveLength(3)
    expect(await leftPodSide()).toBe('')
    const onVlan = await leftVlanSide()
    expect(onVlan).toContain('DHCP-Message (53), length 1: ACK')
    expect(onVlan).toContain(strangerMac)
  })

  test('keep their address through a killed server, a reboot and renewals; a changed manifest reaches them; they release', async () => {
    await vlan.serve(manifest(large))
    const before = await all(async (program) => (await vlan.clients[program].boot()).fields.address)
    await vlan.killServer()
    await all((program) => vlan.clients[program].powerOff())
    await vlan.serve(manifest(large, { leaseTime: '8s' }))
    const after = await all((program) => vlan.clients[program].boot())
    expect(after.map(({ fields }) => fields.address)).toEqual(before)
    // udhcpc has no memory of its own; the others ask for the address they had (INIT-REBOOT).
    expect(after.map(({ happened }) => happened)).toEqual(['REBOOT', 'bound', 'REBOOT'])

    vlan.change(manifest(large, { leaseTime: '1h', dnsServers: ['10.77.16.9'] }))
    // Who renews before the server has read its file is told the old.
    const renewed = await all(async (program) => {
      for (;;) {
        const report = await vlan.clients[program].next('renew')
        if (report.fields.lease !== '8') return report
      }
    })
    expect(renewed.map(({ fields }) => fields.address)).toEqual(before)
    for (const { fields } of renewed) expect(fields).toMatchObject({ dns: '10.77.16.9', lease: '3600' })

    await all((program) => vlan.clients[program].release())
    await all((program) =>
      until(`release of ${program}`, async () =>
        (await vlan.leaseOf(program))?.state === 'Released' ? true : undefined,
      ),
    )
  })
})

describe('real clients on a /28', () => {
  beforeEach(() => build(small))

  test('get the right mask and no router; one that comes from elsewhere is told no, and gets an address of here', async () => {
    vlan.clients.dhclient.rememberElsewhere('172.16.5.5')
    await vlan.serve(manifest(small))
    await all(async (program) => {
      const { fields } = await vlan.clients[program].boot()
      expect(fields).toMatchObject({ mask: '255.255.255.240', router: '' })
      expect(fields.address).toMatch(/^192\.168\.100\.2\d$/)
    })
    expect(vlan.clients.dhclient.log()).toContain('DHCPNAK from 192.168.100.18')
  })

  test('understand time servers, search domains, routes and where to boot from', async () => {
    const clientOptions = {
      ntpServers: ['192.168.100.19', '192.168.100.29'],
      searchDomains: ['c1.example.com', 'apps.c1.example.com'],
      routes: [{ to: '10.0.0.0/8', via: '192.168.100.17' }],
      boot: { server: '192.168.100.19', file: 'ipxe.efi' },
    }
    await vlan.serve(manifest(small, { gateway: '192.168.100.17', spec: { clientOptions } }))
    const told = { ntp: '192.168.100.19,192.168.100.29', search: 'c1.example.com,apps.c1.example.com' }
    const boot = { next: '192.168.100.19', file: 'ipxe.efi', tftp: '192.168.100.19', bootfile: 'ipxe.efi' }
    const routes = '10.0.0.0/8,192.168.100.17,0.0.0.0/0,192.168.100.17'
    expect((await vlan.clients.udhcpc.boot()).fields).toMatchObject({ ...told, ...boot, routes })
    const { fields } = await vlan.clients.dhclient.boot()
    // dhclient writes full names with their last dot.
    expect({ ...fields, search: fields.search?.replaceAll(/\.(,|$)/g, '$1') }).toMatchObject(told)
  })

  test('an address that somebody has without a lease goes to nobody', async () => {
    const squatter = vlan.clients.udhcpc.namespace
    await run('ip', ['-n', squatter, 'link', 'set', 'eth0', 'up'])
    await run('ip', ['-n', squatter, 'address', 'add', '192.168.100.20/28', 'dev', 'eth0'])
    const server = await vlan.serve(manifest(small))
    const { fields } = await vlan.clients.dhclient.boot()
    expect(fields.address).toBe('192.168.100.21')
    expect(await vlan.leaseOf('udhcpc')).toMatchObject({ address: '192.168.100.20', state: 'Declined' })
    expect(server.tail().join('\n')).toContain('in use by somebody without a lease')
  })

  test('on a full disk nobody is told of a lease that is not stored; with room again all goes on', async () => {
    vlan.ledger.record({ kind: 'mount', path: vlan.stateDir })
    await run('mount', [
      '-t',
      'tmpfs',
      '-o',
      `size=64k,uid=${ordinaryUser},gid=${ordinaryUser}`,
      'tmpfs',
      vlan.stateDir,
    ])
    writeFileSync(journalPath(vlan.stateDir), journalOfOnePage(), { mode: 0o666 })
    await chown(journalPath(vlan.stateDir), ordinaryUser, ordinaryUser)
    const server = await vlan.serve(manifest(small))
    const filler = join(vlan.stateDir, 'filler')
    expect(() => writeFileSync(filler, Buffer.alloc(1024 * 1024))).toThrow('ENOSPC')
    const booting = vlan.clients.udhcpc.boot()
    await until('the server to complain', () =>
      server.tail().some((line) => line.includes('cannot be stored')) ? true : undefined,
    )
    expect(vlan.clients.udhcpc.reports().map((report) => report.happened)).not.toContain('bound')
    await rm(filler)
    const { fields } = await booting
    expect(await vlan.leaseOf('udhcpc')).toMatchObject({ address: fields.address, state: 'Active' })
  })

  test('on a disk that turns read-only nobody is told of a lease that is not stored', async () => {
    const image = join(vlan.ledger.directory, 'disk')
    await run('truncate', ['--size', '8M', image])
    await run('mkfs.ext4', ['-q', image])
    vlan.ledger.record({ kind: 'mount', path: vlan.stateDir })
    await run('mount', ['-o', 'loop', image, vlan.stateDir])
    await chown(vlan.stateDir, ordinaryUser, ordinaryUser)
    const server = await vlan.serve(manifest(small))
    const { fields } = await vlan.clients.udhcpc.boot()
    // What the kernel does by itself when the disk fails.
    await run('mount', ['-o', 'remount,abort', vlan.stateDir])
    void vlan.clients.dhclient.boot().catch(() => undefined)
    await until('the server to complain', () =>
      server.tail().some((line) => line.includes('cannot be stored')) ? true : undefined,
    )
    expect(vlan.clients.dhclient.reports().map((report) => report.happened)).toEqual(['PREINIT'])
    expect(await vlan.leases()).toMatchObject([{ address: fields.address, state: 'Active' }])
  })

  test('without the right to use the port the server says what to do', async () => {
    const server = await vlan.serve(manifest(small), { mayUsePorts: false })
    expect(await server.ended).not.toBe('exit code 0')
    const said = server.tail().join('\n')
    for (const part of ['192.168.100.18 port 67', 'net.ipv4.ip_unprivileged_port_start', 'CAP_NET_BIND_SERVICE']) {
      expect(said).toContain(part)
    }
  })
})
