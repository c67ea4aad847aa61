import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { run } from '../../lab/host/command.ts'
import { startProcess } from '../../lab/host/process.ts'
import { findTool } from '../../lab/host/tools.ts'
import { inNamespace } from '../../lab/network/build.ts'
import { until } from '../../lab/testing.ts'
import { RealVlan } from './testing/real-vlan.ts'

const server = '192.168.100.18'
const mac = '02:00:00:00:00:42'

let vlan: RealVlan | undefined
afterEach(() => vlan?.ledger.clear())

/** The firmware of QEMU's e1000 is iPXE. */
test.skipIf(!findTool('qemu-system-x86_64'))(
  'a machine with nothing but its network card boots what options 66 and 67 name',
  async () => {
    const built = await RealVlan.build({ cidr: '192.168.100.16/28', server: `${server}/28` })
    vlan = built
    const { ledger } = built
    const bridge = `${ledger.id}-vlan`
    const asked: string[] = []
    const program = fileURLToPath(import.meta.resolve('./testing/tftp-server.ts'))
    const node = [process.execPath, '--disable-warning=ExperimentalWarning', program, server, 'boot.ipxe']
    startProcess(ledger, {
      what: 'boot server',
      command: inNamespace(`${ledger.id}-server`, node),
      logFile: join(ledger.directory, 'tftp.log'),
      onLine: (line) => asked.push(line),
      graceMs: 0,
    })
    await built.serve({
      cidr: '192.168.100.16/28',
      serverIP: server,
      gateway: '192.168.100.17',
      dnsServers: [server],
      range: ['192.168.100.20', '192.168.100.30'],
      spec: { clientOptions: { boot: { server, file: 'boot.ipxe' } } },
    })
    ledger.record({ kind: 'interface', namespace: bridge, name: 'pxe' })
    await run('ip', ['-n', bridge, '-batch', '-'], {
      input: 'tuntap add name pxe mode tap\nlink set pxe master br0 up\n',
    })
    startProcess(ledger, {
      what: 'machine',
      command: inNamespace(bridge, [
        'qemu-system-x86_64',
        ...['-nodefaults', '-no-user-config', '-display', 'none', '-accel', 'tcg', '-m', '128'],
        ...['-netdev', 'tap,id=vlan,ifname=pxe,script=no,downscript=no'],
        ...['-device', `e1000,netdev=vlan,mac=${mac},bootindex=1`],
      ]),
      logFile: join(ledger.directory, 'machine.log'),
      graceMs: 0,
    })
    const booted = await until('iPXE to run the script', () => asked.find((line) => line.includes('booted-')), 60_000)
    expect(asked).toContain('asked for boot.ipxe')
    expect(booted).toBe(`asked for booted-${mac.replaceAll(':', '-')}-192.168.100.20-192.168.100.17`)
  },
  90_000,
)
