import { copyFileSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { cached, cacheRoot } from '../cache.ts'
import { run } from '../host/command.ts'
import { unpackPackages } from '../host/debian-package.ts'
import { loadOrder } from './modules.ts'

/** The Debian package that always depends on the newest small kernel for virtual machines. */
const metaPackage = 'linux-image-cloud-amd64'
/** What the machine needs to see its network card. */
const wantedModules = ['virtio_pci', 'virtio_net']

const cacheName = 'linux-cloud'

/**
 * A directory with `vmlinuz`, the modules and `order`, the file that names them as they are to be loaded: the newest
 * kernel there is, or without a network the one of an earlier run.
 */
export async function cachedKernel(onFetch: (what: string) => void, signal: AbortSignal): Promise<string> {
  try {
    return await newestKernel(onFetch, signal)
  } catch (error) {
    const [earlier] = globSync('[0-9]*/vmlinuz', { cwd: join(cacheRoot(), cacheName) })
    if (earlier === undefined || signal.aborted) throw error
    return join(cacheRoot(), cacheName, dirname(earlier))
  }
}

async function newestKernel(onFetch: (what: string) => void, signal: AbortSignal): Promise<string> {
  const { name, version } = await newestPackage()
  return cached({ name: cacheName, version }, async (directory) => {
    onFetch(`${name} ${version}`)
    const unpacked = join(directory, 'unpacked')
    await unpackPackages([`${name}=${version}`], unpacked, signal)
    takeKernel(unpacked, directory)
    await rm(unpacked, { recursive: true })
  })
}

async function newestPackage(): Promise<{ name: string; version: string }> {
  const record = await run('apt-cache', ['show', '--no-all-versions', metaPackage])
  const [, name, version] = /^Depends: (\S+) \(= (\S+)\)/m.exec(record) ?? []
  if (!name || !version) throw new Error(`the package ${metaPackage} of this distribution does not name its kernel`)
  return { name, version }
}

function takeKernel(unpacked: string, directory: string): void {
  const [kernel = ''] = globSync('boot/vmlinuz-*', { cwd: unpacked })
  copyFileSync(join(unpacked, kernel), join(directory, 'vmlinuz'))
  const modules = new Map<string, string>()
  for (const path of globSync('**/*.ko', { cwd: unpacked })) modules.set(moduleName(path), join(unpacked, path))
  const order = loadOrder(wantedModules, (name) => {
    const path = modules.get(name)
    return path === undefined ? undefined : readFileSync(path)
  })
  for (const name of order) copyFileSync(modules.get(name) ?? '', join(directory, `${name}.ko`))
  writeFileSync(join(directory, 'order'), order.map((name) => `${name}.ko\n`).join(''))
}

/** Files may have hyphens where the module's name has underscores. */
function moduleName(path: string): string {
  return basename(path, '.ko').replaceAll('-', '_')
}
