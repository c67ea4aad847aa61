import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'

/** The right to write in a directory; gone with the process, however it ends. */
export interface DirectoryLock {
  release(): Promise<void>
}

const longestRequest = 1024
const requestTimeoutMs = 5000

/** Answers another process of the same user that found the directory taken. */
export type RequestHandler = (request: string) => Promise<unknown>

/**
 * Takes the directory for this process, or returns undefined if another one has it. The lock is a listening Unix socket:
 * the kernel lets go of it when the process dies, it works between containers that share a volume but no process ids,
 * and a socket that nobody listens on is known to be left over.
 */
export async function lockDirectory(
  directory: string,
  lockName: string,
  onRequest?: RequestHandler,
): Promise<DirectoryLock | undefined> {
  // A socket's path has 107 bytes at most; through the open directory it is short, wherever that lies.
  const handle = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY)
  const path = join('/proc/self/fd', String(handle.fd), lockName)
  try {
    const listen = () => listenOn(path, onRequest)
    const server = (await listen()) ?? ((await removeLeftOver(path)) ? await listen() : undefined)
    if (server === undefined) {
      await handle.close()
      return undefined
    }
    return {
      async release() {
        await new Promise((resolve) => server.close(resolve))
        await handle.close()
      },
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Undefined if there is a socket of that name already. */
function listenOn(path: string, onRequest: RequestHandler | undefined): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((connection) => answer(connection, onRequest))
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined)
      else reject(error)
    })
    server.listen(path, () => {
      server.unref()
      resolve(server)
    })
  })
}

/** One line of text in, one line of JSON out. */
function answer(connection: Socket, onRequest: RequestHandler | undefined): void {
  connection.unref()
  connection.on('error', () => connection.destroy())
  connection.setTimeout(requestTimeoutMs, () => connection.destroy())
  let text = ''
  connection.on('data', (chunk) => {
    text += chunk.toString()
    const [request, rest] = text.split('\n', 2)
    if (text.length > longestRequest || onRequest === undefined) connection.destroy()
    else if (rest !== undefined) {
      onRequest(request ?? '').then(
        (result) => connection.end(`${JSON.stringify(result)}\n`),
        () => connection.destroy(),
      )
    }
  })
}

/** The answer of the process that has the directory; undefined if none has it, or it does not answer. */
export async function askHolder(directory: string, lockName: string, request: string): Promise<unknown> {
  const handle = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY).catch(() => undefined)
  if (handle === undefined) return undefined
  const connection = connect(join('/proc/self/fd', String(handle.fd), lockName))
  connection.setTimeout(requestTimeoutMs, () => connection.destroy())
  try {
    connection.write(`${request}\n`)
    let text = ''
    for await (const chunk of connection) text += String(chunk)
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  } finally {
    await handle.close()
  }
}

/**
 * False if somebody listens. Moving the socket away before it is removed makes sure that what is removed is what was
 * looked at: if another process took the lock in between, it gets its socket back.
 */
async function removeLeftOver(path: string): Promise<boolean> {
  if (await somebodyListens(path)) return false
  const aside = `${path}.${randomUUID()}`
  await rename(path, aside)
  if (await somebodyListens(aside)) {
    await rename(aside, path)
    return false
  }
  await rm(aside, { force: true })
  return true
}

function somebodyListens(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(path)
    connection.once('connect', () => {
      connection.destroy()
      resolve(true)
    })
    connection.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT')
    })
  })
}
