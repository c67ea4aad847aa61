import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cached, cacheRoot } from '../../src/lab/cache.ts'
import { build, NoGo } from './build.ts'
import { type Component, components, type Target } from './components.ts'
import { download, Unavailable } from './download.ts'
import { cacheEntry, locateAssets, missingIn } from './locate.ts'
import type { Output } from './progress.ts'
import { officialHosts, type ReleaseHosts, releasesOf } from './release.ts'

export interface Surroundings {
  readonly env: NodeJS.ProcessEnv
  readonly output: Output
  readonly hosts?: ReleaseHosts
  readonly root?: string
}

/** Neither the network nor a compiler can give the binaries here. */
export class CannotProvide extends Error {}

/**
 * The folder with all binaries of the target: the user's own, else the cached one, else the official releases, else
 * built from the Go modules pinned in go.mod.
 */
export async function provideAssets(target: Target, surroundings: Surroundings): Promise<string> {
  const root = surroundings.root ?? cacheRoot()
  const there = await locateAssets(target, surroundings.env, root)
  if (there) return there
  const entry = cacheEntry(target)
  const folder = await cached(entry, (directory) => obtain(components[target], directory, surroundings), root)
  const missing = await missingIn(folder, components[target])
  if (missing.length === 0) return folder
  throw new Error(
    `${join(root, entry.name, entry.version)} lacks ${missing.join(', ')}: remove the folder and try again`,
  )
}

async function obtain(wanted: readonly Component[], folder: string, surroundings: Surroundings): Promise<void> {
  const { env, output, hosts = officialHosts } = surroundings
  let noNetwork: Unavailable
  try {
    if (process.platform !== 'linux') throw new Unavailable('there are no official servers for this system')
    await download(releasesOf(wanted, process.arch, hosts), folder, output)
    return
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    noNetwork = error
  }
  output.write(`official releases not available (${noNetwork.message}); building from Go modules\n`)
  for (const half of await readdir(folder)) await rm(join(folder, half), { recursive: true })
  try {
    await build(wanted, folder, env, output)
  } catch (error) {
    if (!(error instanceof NoGo)) throw error
    throw new CannotProvide(
      `${wanted.map((one) => one.name).join(', ')}: cannot be downloaded (${noNetwork.message}) nor built (${error.message})`,
    )
  }
}
