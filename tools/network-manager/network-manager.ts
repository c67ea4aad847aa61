import { globSync } from 'node:fs'
import { join } from 'node:path'
import { cached } from '../../src/lab/cache.ts'
import { run } from '../../src/lab/host/command.ts'
import { packageVersion, unpackPackages } from '../../src/lab/host/debian-package.ts'

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
  const version = await packageVersion('network-manager')
  const entry = { name: 'network-manager', version: version.replace(/^\d+:/, '') }
  return unpackedIn(await cached(entry, unpack))
}

function unpackedIn(directory: string): NetworkManager {
  const libraries = globSync('usr/lib/*-linux-gnu*', { cwd: directory }).map((path) => join(directory, path))
  return { program: join(directory, 'usr/sbin/NetworkManager'), env: { LD_LIBRARY_PATH: libraries.join(':') } }
}

async function unpack(directory: string): Promise<void> {
  await unpackPackages(packages, directory)
  const { program, env } = unpackedIn(directory)
  // Fails where other libraries are missing.
  await run(program, ['--version'], { env })
}
