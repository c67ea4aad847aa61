import { chmod, copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cached } from '../../src/lab/cache.ts'
import { packageVersion, unpackPackages } from '../../src/lab/host/debian-package.ts'

/**
 * The path of a real nginx: Debian's, unpacked into the cache and not installed, for installed it would serve port 80 of
 * this machine at once.
 */
export async function provideNginx(): Promise<string> {
  const version = await packageVersion('nginx')
  const folder = await cached({ name: 'nginx', version: version.replace(/^\d+:/, '') }, unpack)
  return join(folder, 'nginx')
}

async function unpack(directory: string): Promise<void> {
  const unpacked = join(directory, 'unpacked')
  await unpackPackages(['nginx'], unpacked)
  await copyFile(join(unpacked, 'usr', 'sbin', 'nginx'), join(directory, 'nginx'))
  await chmod(join(directory, 'nginx'), 0o755)
  await rm(unpacked, { recursive: true })
}
