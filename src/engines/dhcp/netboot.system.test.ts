import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { startServices } from '../../lab/controlplane/start.ts'
import { run } from '../../lab/host/command.ts'
import { startProcess } from '../../lab/host/process.ts'
import { findTool } from '../../lab/host/tools.ts'
import { bootServices } from '../../lab/netboot/bootserver.ts'
import { inNamespace } from '../../lab/network/build.ts'
import { cpioArchive } from '../../lab/qemu/cpio.ts'
import { whyNoQemu } from '../../lab/qemu/image.ts'
import { cachedKernel } from '../../lab/qemu/kernel.ts'
import { until } from '../../lab/testing.ts'
import { RealVlan, smallNetwork } from './testing/real-vlan.ts'

const server = smallNetwork.serverIP
const mac = '02:00:00:00:00:42'

let vlan: RealVlan | undefined
afterEach(() => vlan?.ledger.clear())

/** The VLAN, and on the server's address what there is to boot; gives what is asked for. */
async function bootServer(script: string, more: Readonly<Record<string, Buffer>> = {}): Promise<string[]> {
  const built = await RealVlan.build(smallNetwork)
  vlan = built
  const directory = join(built.ledger.directory, 'boot')
  mkdirSync(directory)
  for (const [name, content] of Object.entries({ 'boot.ipxe': script, ...more })) {
    writeFileSync(join(directory, name), content)
  }
  const asked: string[] = []
  await startServices(built.ledger, 'server', bootServices(server, directory), (line) => asked.push(line))
  await built.serve({
    ...smallNetwork,
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
    expect(asked).toContain('boot.ipxe over TFTP: sent')
    const name = `booted-${mac.replaceAll(':', '-')}-192.168.100.20-192.168.100.17`
    expect(booted).toBe(`${name} over TFTP: no such file`)
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
    const init =
      '#!/bin/busybox sh\n/bin/busybox mkdir /proc\n/bin/busybox mount -t proc proc /proc\n/bin/busybox cat /proc/cmdline\n/bin/busybox poweroff -f\n'
    const initrd = cpioArchive([
      { path: 'init', mode: 0o755, content: Buffer.from(init) },
      { path: 'bin/busybox', mode: 0o755, content: readFileSync(findTool('busybox') ?? '/bin/busybox') },
    ])
    const asked = await bootServer(script, { vmlinuz: readFileSync(join(kernel, 'vmlinuz')), initrd })
    const console = await startMachine(512)
    const said = await until(
      'the kernel to tell its command line',
      () => console.find((line) => line.includes('booted-from=')),
      240_000,
    ).catch((error) => {
      throw new Error(`${error}\n${asked.join('\n')}\n${console.join('\n')}`)
    })
    expect(said).toContain('booted-from=192.168.100.20')
    expect(asked).toEqual(['serving', 'boot.ipxe over TFTP: sent', 'vmlinuz over HTTP: sent', 'initrd over HTTP: sent'])
  },
  300_000,
)
