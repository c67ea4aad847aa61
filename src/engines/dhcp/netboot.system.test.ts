import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { run } from '../../lab/host/command.ts'
import { startProcess } from '../../lab/host/process.ts'
import { findTool } from '../../lab/host/tools.ts'
import { inNamespace } from '../../lab/network/build.ts'
import { cpioArchive } from '../../lab/qemu/cpio.ts'
import { whyNoQemu } from '../../lab/qemu/image.ts'
import { cachedKernel } from '../../lab/qemu/kernel.ts'
import { until } from '../../lab/testing.ts'
import { RealVlan } from './testing/real-vlan.ts'

const server = '192.168.100.18'
const mac = '02:00:00:00:00:42'

let vlan: RealVlan | undefined
afterEach(() => vlan?.ledger.clear())

/** The VLAN, and on the server's address what there is to boot; gives what is asked for. */
async function bootServer(script: string, directory?: (at: string) => Promise<void>): Promise<string[]> {
  const built = await RealVlan.build({ cidr: '192.168.100.16/28', server: `${server}/28` })
  vlan = built
  const { ledger } = built
  const files = join(ledger.directory, 'boot')
  mkdirSync(files)
  await directory?.(files)
  const asked: string[] = []
  const program = fileURLToPath(import.meta.resolve('./testing/boot-server.ts'))
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', program, server, 'boot.ipxe', script]
  startProcess(ledger, {
    what: 'boot server',
    command: inNamespace(`${ledger.id}-server`, [...node, ...(directory ? [files] : [])]),
    logFile: join(ledger.directory, 'boot-server.log'),
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
  return asked
}

/** A machine with nothing but a network card, whose firmware is iPXE (it is in QEMU's e1000); gives its console. */
async function startMachine(memoryMiB: number): Promise<string[]> {
  if (vlan === undefined) throw new Error('there is no VLAN')
  const { ledger } = vlan
  const bridge = `${ledger.id}-vlan`
  ledger.record({ kind: 'interface', namespace: bridge, name: 'pxe' })
  await run('ip', ['-n', bridge, '-batch', '-'], {
    input: 'tuntap add name pxe mode tap\nlink set pxe master br0 up\n',
  })
  const console: string[] = []
  startProcess(ledger, {
    what: 'machine',
    command: inNamespace(bridge, [
      'qemu-system-x86_64',
      ...['-nodefaults', '-no-user-config', '-no-reboot', '-display', 'none'],
      ...['-accel', 'tcg', '-cpu', 'max', '-m', `${memoryMiB}`, '-serial', 'stdio', '-monitor', 'none'],
      ...['-netdev', 'tap,id=vlan,ifname=pxe,script=no,downscript=no'],
      ...['-device', `e1000,netdev=vlan,mac=${mac},bootindex=1`],
    ]),
    logFile: join(ledger.directory, 'machine.log'),
    onLine: (line) => console.push(line),
    graceMs: 0,
  })
  return console
}

test.skipIf(!findTool('qemu-system-x86_64'))(
  'a machine with nothing but its network card boots what options 66 and 67 name',
  async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: these are settings of iPXE.
    const script = '#!ipxe\nchain tftp://${next-server}/booted-${net0/mac:hexhyp}-${net0/ip}-${net0/gateway}\n'
    const asked = await bootServer(script)
    await startMachine(128)
    const booted = await until('iPXE to run the script', () => asked.find((line) => line.includes('booted-')), 60_000)
    expect(asked).toContain('asked for boot.ipxe')
    expect(booted).toBe(`asked for booted-${mac.replaceAll(':', '-')}-192.168.100.20-192.168.100.17`)
  },
  90_000,
)

test.skipIf(process.env.OOOI_E2E !== 'all' || whyNoQemu() !== undefined)(
  'a kernel that the script fetches over HTTP runs',
  async () => {
    const kernel = await cachedKernel(() => undefined, AbortSignal.timeout(60_000))
    const script = [
      '#!ipxe',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is a setting of iPXE.
      'kernel http://${next-server}/vmlinuz initrd=initrd console=ttyS0 quiet panic=-1 booted-from=${net0/ip}',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: likewise.
      'initrd http://${next-server}/initrd',
      'boot\n',
    ].join('\n')
    const asked = await bootServer(script, async (at) => {
      copyFileSync(join(kernel, 'vmlinuz'), join(at, 'vmlinuz'))
      const init =
        '#!/bin/busybox sh\n/bin/busybox mkdir /proc\n/bin/busybox mount -t proc proc /proc\n/bin/busybox cat /proc/cmdline\n/bin/busybox poweroff -f\n'
      const busybox = readFileSync(findTool('busybox') ?? '/bin/busybox')
      const files = [
        { path: 'init', mode: 0o755, content: Buffer.from(init) },
        { path: 'bin/busybox', mode: 0o755, content: busybox },
      ]
      writeFileSync(join(at, 'initrd'), cpioArchive(files))
    })
    const console = await startMachine(512)
    const said = await until(
      'the kernel to tell its command line',
      () => console.find((line) => line.includes('booted-from=')),
      240_000,
    ).catch((error) => {
      throw new Error(`${error}\n${asked.join('\n')}\n${console.join('\n')}`)
    })
    expect(said).toContain('booted-from=192.168.100.20')
    expect(asked).toEqual([
      'serving',
      'asked for boot.ipxe',
      'asked for vmlinuz over HTTP',
      'asked for initrd over HTTP',
    ])
  },
  300_000,
)
