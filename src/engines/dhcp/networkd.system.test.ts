import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type RunningProcess, startProcess } from '../../lab/host/process.ts'
import { inNamespace } from '../../lab/network/build.ts'
import { until } from '../../lab/testing.ts'
import { macOf, RealVlan, smallNetwork } from './testing/real-vlan.ts'

const program = '/lib/systemd/systemd-networkd'
const server = smallNetwork.serverIP
/** Which machine of the VLAN runs it. */
const place = 'udhcpc'

let vlan: RealVlan | undefined
afterEach(() => vlan?.ledger.clear())

/**
 * systemd-networkd in a machine without systemd. With /sys read-only it takes itself to be in a container, and does not
 * wait for udev, which is not there either.
 */
function startNetworkd({ ledger, clients }: RealVlan, directory: string): RunningProcess {
  const settings = join(directory, 'settings')
  mkdirSync(settings, { recursive: true })
  mkdirSync(join(directory, 'run'), { recursive: true })
  writeFileSync(
    join(settings, 'eth0.network'),
    '[Match]\nName=eth0\n\n[Network]\nDHCP=ipv4\nIPv6AcceptRA=no\nLinkLocalAddressing=no\n\n[DHCPv4]\nUseMTU=yes\n',
  )
  const mounts = [
    'mount --bind "$1/settings" /etc/systemd/network',
    'mount --bind "$1/run" /run',
    'mkdir -p /run/systemd/netif/links /run/systemd/netif/leases /run/systemd/netif/lldp',
    'chown -R systemd-network /run/systemd/netif',
    'mount -t sysfs -o ro sysfs /sys',
  ]
  const script = `${mounts.join(' && ')} && exec ${program}`
  return startProcess(ledger, {
    what: 'systemd-networkd',
    command: inNamespace(clients[place].namespace, [
      ...['unshare', '--mount', '--propagation', 'slave', '--'],
      ...['/bin/sh', '-c', script, 'sh', directory],
    ]),
    env: { SYSTEMD_LOG_LEVEL: 'debug', SYSTEMD_LOG_TARGET: 'console' },
    logFile: join(directory, 'log'),
    graceMs: 2000,
  })
}

/** What it was told, from where it tells other programs. */
function leaseOf(directory: string): Record<string, string> | undefined {
  const leases = join(directory, 'run/systemd/netif/leases')
  try {
    const [file] = readdirSync(leases)
    if (file === undefined) return undefined
    const lines = readFileSync(join(leases, file), 'utf8').split('\n')
    return Object.fromEntries(lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split('=', 2)))
  } catch {
    return undefined
  }
}

test('systemd-networkd takes address, name, resolvers, domain, MTU and time servers, and comes back to its address', async () => {
  const built = await RealVlan.build(smallNetwork)
  vlan = built
  await built.serve({
    ...smallNetwork,
    spec: {
      reservations: [{ mac: macOf(place), vmName: 'vm-networkd' }],
      clientOptions: { mtu: 1400, domainName: 'c1.example.com', ntpServers: ['192.168.100.19'] },
    },
  })
  const directory = join(built.ledger.directory, 'networkd')
  mkdirSync(directory)
  const first = startNetworkd(built, directory)
  const lease = await until('its lease', () => leaseOf(directory)).catch((error) => {
    throw new Error(`${error}\n${first.tail().join('\n')}`)
  })
  expect(lease).toMatchObject({
    ADDRESS: '192.168.100.20',
    NETMASK: '255.255.255.240',
    ROUTER: '192.168.100.17',
    SERVER_ADDRESS: server,
    DNS: server,
    NTP: '192.168.100.19',
    DOMAINNAME: 'c1.example.com',
    HOSTNAME: 'vm-networkd',
    MTU: '1400',
  })
  expect(await built.leaseOf(place)).toMatchObject({
    address: '192.168.100.20',
    state: 'Active',
    vmName: 'vm-networkd',
  })
  await first.stop()
  await until('its release', async () => ((await built.leaseOf(place))?.state === 'Released' ? true : undefined))
  startNetworkd(built, directory)
  await until('the same lease again', async () => ((await built.leaseOf(place))?.state === 'Active' ? true : undefined))
  expect(await built.leaseOf(place)).toMatchObject({ address: '192.168.100.20' })
})
