import { globSync } from 'node:fs'
import { copyFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { cached, cacheRoot } from '../../src/lab/cache.ts'
import { run } from '../../src/lab/host/command.ts'
import { withProgress } from '../kube/progress.ts'

const cacheName = 'prometheus'

/**
 * A directory with `prometheus` and `promtool`, taken out of Debian's package: installed, it would start a service. Without a
 * network it is the one of an earlier run. Throws, with the reason, where it cannot be had.
 */
export async function findPrometheus(): Promise<string> {
  try {
    const version = await packageVersion()
    return await cached({ name: cacheName, version }, (directory) =>
      withProgress(process.stderr, `fetching Prometheus ${version}`, () => fetchInto(directory, version)),
    )
  } catch (error) {
    const [earlier] = globSync('[0-9]*/promtool', { cwd: join(cacheRoot(), cacheName) })
    if (earlier === undefined) throw error
    return join(cacheRoot(), cacheName, dirname(earlier))
  }
}

async function packageVersion(): Promise<string> {
  const record = await run('apt-cache', ['show', '--no-all-versions', 'prometheus'])
  const version = /^Version: (\S+)$/m.exec(record)?.[1]
  if (version === undefined) throw new Error('no package "prometheus" is known; "apt-get update" brings the lists')
  return version
}

async function fetchInto(directory: string, version: string): Promise<void> {
  await run('apt-get', ['download', `prometheus=${version}`], { cwd: directory })
  const [archive = ''] = globSync('*.deb', { cwd: directory })
  await run('dpkg-deb', ['--extract', archive, 'unpacked'], { cwd: directory })
  for (const name of ['prometheus', 'promtool']) {
    await copyFile(join(directory, 'unpacked', 'usr', 'bin', name), join(directory, name))
  }
  for (const name of ['unpacked', archive]) await rm(join(directory, name), { recursive: true })
}
