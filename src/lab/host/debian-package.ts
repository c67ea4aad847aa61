import { globSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './command.ts'

/** Packages of this machine's Debian whose files are wanted and not their services: unpacked, never installed. */

/** The version that apt would install. Throws where there is none. */
export async function packageVersion(name: string): Promise<string> {
  const record = await run('apt-cache', ['show', '--no-all-versions', name])
  const [, version] = /^Version: (\S+)$/m.exec(record) ?? []
  if (version === undefined) throw new Error(`no package "${name}" is known; "apt-get update" brings the lists`)
  return version
}

/** The files of the packages (`name` or `name=version`) below `directory`, which may not be there yet. */
export async function unpackPackages(
  packages: readonly string[],
  directory: string,
  signal?: AbortSignal,
): Promise<void> {
  const archives = join(directory, 'archives')
  await mkdir(archives, { recursive: true })
  await run('apt-get', ['download', ...packages], { cwd: archives, signal })
  await unpackArchives(archives, directory, signal)
  await rm(archives, { recursive: true })
}

/** The files of all packages that lie in `archives`. */
export async function unpackArchives(archives: string, directory: string, signal?: AbortSignal): Promise<void> {
  for (const name of globSync('*.deb', { cwd: archives })) {
    await run('dpkg-deb', ['--extract', join(archives, name), directory], { signal })
  }
}
