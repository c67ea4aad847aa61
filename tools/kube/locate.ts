import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { type CacheEntry, cacheRoot } from '../../src/lab/cache.ts'
import { type Component, components, folderVariables, type Target, versions } from './components.ts'

/** The name in the cache; it changes whenever the files inside would. */
export function cacheEntry(target: Target, architecture: string = process.arch): CacheEntry {
  const projects = [...new Set(components[target].map((component) => component.project))]
  const parts = projects.map((project) => `${project}-${versions[project]}`).sort()
  return { name: `kube-${target}`, version: [...parts, architecture].join('_') }
}

/**
 * The folder with all binaries of the target, if it is there already: the user's own, else the cached one. Nothing is
 * downloaded or built. A folder that the user names and that lacks a binary is an error: using another one silently
 * would test something else than the user asked for.
 */
export async function locateAssets(
  target: Target,
  env: NodeJS.ProcessEnv,
  root: string = cacheRoot(),
): Promise<string | undefined> {
  const variable = folderVariables[target]
  const own = env[variable]
  if (own) {
    const missing = await missingIn(own, components[target])
    if (missing.length === 0) return own
    throw new Error(
      `${variable}=${own} has no executable ${missing.join(', ')}: put ${missing.length === 1 ? 'it' : 'them'} there, or unset ${variable} to use the cache`,
    )
  }
  const { name, version } = cacheEntry(target)
  const folder = join(root, name, version)
  return (await missingIn(folder, components[target])).length === 0 ? folder : undefined
}

export async function missingIn(folder: string, wanted: readonly Component[]): Promise<string[]> {
  const checked = await Promise.all(
    wanted.map(async ({ name }) => ((await isExecutable(join(folder, name))) ? [] : [name])),
  )
  return checked.flat()
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

/** A developer without the binaries may skip tests; continuous integration that skipped them would be green for nothing. */
export function mayNotSkip(env: NodeJS.ProcessEnv): boolean {
  return !['', '0', 'false'].includes(env.CI ?? '')
}
