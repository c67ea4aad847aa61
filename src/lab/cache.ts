import { createHash } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** What is kept: a thing of that name in that version. The version says all that its content depends on. */
export interface CacheEntry {
  readonly name: string
  readonly version: string
}

export function cacheRoot(): string {
  return join(homedir(), '.cache', 'oooi')
}

/**
 * The directory `<root>/<name>/<version>`, made by `build` if it is not there yet. `build` fills a directory beside it
 * that is renamed when it is complete, so an entry is whole or absent, whoever is killed when. Of several processes
 * that want one entry at a time, one builds and the others wait for it.
 */
export async function cached(
  entry: CacheEntry,
  build: (directory: string) => Promise<void>,
  root: string = cacheRoot(),
): Promise<string> {
  for (const part of [entry.name, entry.version]) {
    if (!/^[a-z0-9][a-z0-9._+~-]*$/i.test(part))
      throw new Error(`cache entry ${entry.name}/${entry.version}: "${part}" cannot be a directory name`)
  }
  const parent = join(root, entry.name)
  const finished = join(parent, entry.version)
  if (await exists(finished)) return finished
  await mkdir(parent, { recursive: true })
  const release = await takeLock(finished)
  try {
    if (await exists(finished)) return finished
    await removeAbandoned(parent)
    const unfinished = join(parent, `.unfinished-${process.pid}-${entry.version}`)
    await rm(unfinished, { recursive: true, force: true })
    await mkdir(unfinished)
    try {
      await build(unfinished)
      await publish(unfinished, finished)
    } finally {
      await rm(unfinished, { recursive: true, force: true })
    }
    return finished
  } finally {
    release()
  }
}

/** A builder in another network namespace does not see our lock; if it was quicker, its result is as good as ours. */
async function publish(unfinished: string, finished: string): Promise<void> {
  try {
    await rename(unfinished, finished)
  } catch (error) {
    if (!(await exists(finished))) throw error
  }
}

/**
 * The lock is an abstract Unix socket: only one process can bind it, and the kernel takes it away from a dead one, so
 * there is no stale lock to clear. Whoever finds it taken connects and is woken when the holder lets go.
 */
async function takeLock(path: string): Promise<() => void> {
  const address = `\0oooi-cache-${createHash('sha256').update(path).digest('hex')}`
  for (;;) {
    const release = await bind(address)
    if (release) return release
    await holderLetGo(address)
  }
}

function bind(address: string): Promise<(() => void) | undefined> {
  const server = createServer()
  const waiting = new Set<Socket>()
  server.on('connection', (socket) => waiting.add(socket.on('error', () => {})))
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined)
      else reject(error)
    })
    server.listen(address, () =>
      resolve(() => {
        server.close()
        for (const socket of waiting) socket.destroy()
      }),
    )
  })
}

function holderLetGo(address: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(address)
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    socket.resume()
  })
}

async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const owner = /^\.unfinished-(\d+)-/.exec(name)?.[1]
    if (owner && !(await exists(`/proc/${owner}`))) await rm(join(parent, name), { recursive: true, force: true })
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
