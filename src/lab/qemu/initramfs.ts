import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cached } from '../cache.ts'
import { run } from '../host/command.ts'
import { findTool } from '../host/tools.ts'
import { guestScripts } from '../vm/guestfiles.ts'
import { type ArchiveFile, cpioArchive } from './cpio.ts'

/** Programs of the host that the machine runs besides busybox. */
const programs = ['/usr/bin/curl', '/usr/bin/openssl', '/usr/bin/getent']

const settings: Readonly<Record<string, string>> = {
  'etc/nsswitch.conf': 'hosts: files dns\n',
  'etc/hosts': '127.0.0.1 localhost\n',
  'etc/passwd': 'root:x:0:0:root:/root:/bin/sh\n',
  'etc/group': 'root:x:0:\n',
}

/** The part of the initramfs that is the same for every machine and every run, kept by what is in it. */
export async function cachedInitramfs(kernelDirectory: string): Promise<string> {
  const archive = cpioArchive(await initramfsFiles(kernelDirectory))
  const version = createHash('sha256').update(archive).digest('hex').slice(0, 16)
  const directory = await cached({ name: 'initramfs', version }, async (unfinished) => {
    writeFileSync(join(unfinished, 'base.cpio'), archive)
  })
  return join(directory, 'base.cpio')
}

/** What only this machine has in /etc/oooi-lab; it stands behind the part that all have. */
export function machineArchive(guestDirectory: string): Buffer {
  const names = readdirSync(guestDirectory)
  return cpioArchive(names.map((name) => fileAt(join(guestDirectory, name), `etc/oooi-lab/${name}`, 0o755)))
}

async function initramfsFiles(kernelDirectory: string): Promise<ArchiveFile[]> {
  const busybox = findTool('busybox') ?? '/bin/busybox'
  const libraries = await sharedLibraries([busybox, ...programs])
  const modules = readdirSync(kernelDirectory).filter((name) => name !== 'vmlinuz')
  return [
    fileAt(join(guestScripts, 'init.sh'), 'init', 0o755),
    fileAt(busybox, 'bin/busybox', 0o755),
    fileAt('/etc/udhcpc/default.script', 'etc/udhcpc/default.script', 0o755),
    ...[...programs, ...libraries].map((path) => fileAt(path, path.slice(1), 0o755)),
    ...modules.map((name) => fileAt(join(kernelDirectory, name), `lib/modules/${name}`, 0o644)),
    ...Object.entries(settings).map(([path, text]) => ({ path, mode: 0o644, content: Buffer.from(text) })),
  ]
}

/** Everything the dynamic loader would open for these programs, the loader itself included. */
async function sharedLibraries(paths: readonly string[]): Promise<string[]> {
  // ldd fails for a program that is linked statically, which then needs nothing.
  const reports = await Promise.all(paths.map((path) => run('ldd', [path]).catch(() => '')))
  return [...new Set(reports.join('\n').match(/(?<=\s)\/\S+(?= \(0x)/g) ?? [])].sort()
}

function fileAt(source: string, path: string, mode: number): ArchiveFile {
  return { path, mode, content: readFileSync(source) }
}
