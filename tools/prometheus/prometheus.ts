import { globSync } from 'node:fs'
import { copyFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { cached, cacheRoot } from '../../src/lab/cache.ts'
import { packageVersion, unpackPackages } from '../../src/lab/host/debian-package.ts'
import { withProgress } from '../kube/progress.ts'

const cacheName = 'prometheus'

/**
 * A directory with `prometheus` and `promtool`, taken out of Debian's package: installed, it would start a service. Without a
 * network it is the one of an earlier run. Throws, with the reason, where it cannot be had.
 */
export async function findPrometheus(): Promise<string> {
  try {
    const version = await packageVersion(cacheName)
    return await cached({ name: cacheName, version }, (directory) =>
      withProgress(process.stderr, `fetching Prometheus ${version}`, () => fetchInto(directory, version)),
    )
  } catch (error) {
    const [earlier] = globSync('[0-9]*/promtool', { cwd: join(cacheRoot(), cacheName) })
    if (earlier === undefined) throw error
    return join(cacheRoot(), cacheName, dirname(earlier))
  }
}

async function fetchInto(directory: string, version: string): Promise<void> {
  const unpacked = join(directory, 'unpacked')
  await unpackPackages([`prometheus=${version}`], unpacked)
  for (const name of ['prometheus', 'promtool']) {
    await copyFile(join(unpacked, 'usr', 'bin', name), join(directory, name))
  }
  await rm(unpacked, { recursive: true })
}
