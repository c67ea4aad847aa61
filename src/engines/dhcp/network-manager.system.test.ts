import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type NetworkManager, provideNetworkManager } from '../../../tools/network-manager/network-manager.ts'
import { run } from '../../lab/host/command.ts'
import { startProcess } from '../../lab/host/process.ts'
import { inNamespace } from '../../lab/network/build.ts'
import { macOf, RealVlan, smallNetwork } from './testing/real-vlan.ts'

const server = smallNetwork.serverIP
/** Which machine of the VLAN runs it. */
const place = 'dhcpcd'
const found = await provideNetworkManager().catch(() => undefined)

let vlan: RealVlan | undefined
afterEach(() => vlan?.ledger.clear())

const settings = `[main]
dhcp=internal
plugins=keyfile
[keyfile]
path=/run/connections
`

const connection = `[connection]
id=eth0
uuid=6a2f7ad5-7b5b-4b6e-9d1f-000000000001
type=ethernet
interface-name=eth0
[ipv4]
method=auto
may-fail=false
[ipv6]
method=disabled
`

/**
 * Configures the machine and ends, as it does in the initramfs of an OpenShift node: there it needs no D-Bus. With /sys
 * read-only it takes itself to be in a container and does not wait for udev. `directory` has all that it reads and keeps.
 */
async function configure({ ledger, clients }: RealVlan, { program, env }: NetworkManager, directory: string) {
  const mounts = [
    'mount --bind "$1" /run',
    'mount -t tmpfs tmpfs /var/lib',
    'mkdir /var/lib/NetworkManager',
    'mount -t sysfs -o ro sysfs /sys',
  ]
  const options = '--configure-and-quit=initrd --debug --log-level=INFO --config=/run/settings'
  const script = `${mounts.join(' && ')} && exec ${program} ${options}`
  const running = startProcess(ledger, {
    what: 'NetworkManager',
    command: inNamespace(clients[place].namespace, [
      ...['unshare', '--mount', '--propagation', 'slave', '--'],
      ...['/bin/sh', '-c', script, 'sh', directory],
    ]),
    env,
    logFile: join(directory, 'log'),
    graceMs: 2000,
  })
  await running.ended
  return running.tail().join('\n')
}

const devices = 'NetworkManager/devices'

/** What it was told, from where it keeps that for its next start. */
function optionsIn(directory: string): Record<string, string> {
  const files = readdirSync(join(directory, devices))
  const texts = files.map((file) => readFileSync(join(directory, devices, file), 'utf8'))
  return Object.fromEntries(
    texts.flatMap((text) => [...text.matchAll(/^dhcp4\.(\w+)=(.*)$/gm)].map(([, ...pair]) => pair)),
  )
}

test.skipIf(found === undefined)('NetworkManager takes all it is told, and comes back to its address', async () => {
  if (found === undefined) return
  const built = await RealVlan.build(smallNetwork)
  vlan = built
  await built.serve({
    ...smallNetwork,
    spec: {
      reservations: [{ mac: macOf(place), vmName: 'vm-nm' }],
      clientOptions: { mtu: 1400, domainName: 'c1.example.com', ntpServers: ['192.168.100.19'] },
    },
  })
  const directory = join(built.ledger.directory, 'network-manager')
  mkdirSync(join(directory, 'connections'), { recursive: true })
  writeFileSync(join(directory, 'settings'), settings)
  writeFileSync(join(directory, 'connections/eth0.nmconnection'), connection, { mode: 0o600 })

  const said = await configure(built, found, directory)
  expect(optionsIn(directory), said).toMatchObject({
    ip_address: '192.168.100.20',
    subnet_mask: '255.255.255.240',
    routers: '192.168.100.17',
    dhcp_server_identifier: server,
    domain_name_servers: server,
    ntp_servers: '192.168.100.19',
    domain_name: 'c1.example.com',
    host_name: 'vm-nm',
    interface_mtu: '1400',
  })
  expect(await built.leaseOf(place)).toMatchObject({ address: '192.168.100.20', state: 'Active', vmName: 'vm-nm' })

  // The machine is switched off; what is left is the file with its lease.
  const { namespace } = built.clients[place]
  await run('ip', ['-n', namespace, 'address', 'flush', 'dev', 'eth0'])
  await run('ip', ['-n', namespace, 'link', 'set', 'eth0', 'down'])
  rmSync(join(directory, devices), { recursive: true })
  const saidAgain = await configure(built, found, directory)
  expect(optionsIn(directory), saidAgain).toMatchObject({ ip_address: '192.168.100.20' })
})
