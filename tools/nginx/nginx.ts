import { globSync } from 'node:fs'
import { chmod, copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cached } from '../../src/lab/cache.ts'
import { run } from '../../src/lab/host/command.ts'

/**
 * The path of a real nginx: Debian's, unpacked into the cache and not installed, for installed it would serve port 80 of
 * this machine at once.
 */
export async function provideNginx(): Promise<string> {
  const record = await run('apt-cache', ['show', '--no-all-versions', 'nginx'])
  const [, version] = /^Version: (\S+)/m.exec(record) ?? []
  if (!version) throw new Error('this distribution has no package nginx')
  const folder = await cached({ name: 'nginx', version: version.replace(/^\d+:/, '') }, unpack)
  return join(folder, 'nginx')
}

async function unpack(directory: string): Promise<void> {
  const unpacked = join(directory, 'unpacked')
  await mkdir(unpacked)
  await run('apt-get', ['download', 'nginx'], { cwd: unpacked })
  const [archive = ''] = globSync('nginx_*.deb', { cwd: unpacked })
  await run('dpkg-deb', ['--extract', archive, '.'], { cwd: unpacked })
  await copyFile(join(unpacked, 'usr', 'sbin', 'nginx'), join(directory, 'nginx'))
  await chmod(join(directory, 'nginx'), 0o755)
  await rm(unpacked, { recursive: true })
}
