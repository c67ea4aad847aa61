import { globSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cached } from '../../src/lab/cache.ts'
import { run } from '../../src/lab/host/command.ts'

/** It and the libraries that hardly any machine has without it. */
const packages = ['network-manager', 'libnm0', 'libndp0']

export interface NetworkManager {
  readonly program: string
  readonly env: Readonly<Record<string, string>>
}

/**
 * A real NetworkManager: Debian's, unpacked into the cache and not installed, for installed it would take charge of this
 * machine's network. Throws, with the reason, where it cannot be had.
 */
export async function provideNetworkManager(): Promise<NetworkManager> {
  const record = await run('apt-cache', ['show', '--no-all-versions', 'network-manager'])
  const [, version] = /^Version: (\S+)/m.exec(record) ?? []
  if (!version) throw new Error('this distribution has no package network-manager')
  const entry = { name: 'network-manager', version: version.replace(/^\d+:/, '') }
  return unpackedIn(await cached(entry, unpack))
}

function unpackedIn(directory: string): NetworkManager {
  const libraries = globSync('usr/lib/*-linux-gnu*', { cwd: directory }).map((path) => join(directory, path))
  return { program: join(directory, 'usr/sbin/NetworkManager'), env: { LD_LIBRARY_PATH: libraries.join(':') } }
}

async function unpack(directory: string): Promise<void> {
  const archives = join(directory, 'archives')
  await mkdir(archives)
  await run('apt-get', ['download', ...packages], { cwd: archives })
  for (const name of globSync('*.deb', { cwd: archives })) {
    await run('dpkg-deb', ['--extract', join(archives, name), directory])
  }
  await rm(archives, { recursive: true })
  const { program, env } = unpackedIn(directory)
  // Fails where other libraries are missing.
  await run(program, ['--version'], { env })
}
