import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { listenAt } from './listen.ts'
import type { FileService, Listening } from './service.ts'

/** HTTP without TLS, as firmware fetches a kernel. `told` gets a line for each file that is asked for. */
export function serveFiles(service: FileService, told: (line: string) => void): Promise<Listening> {
  const server = createServer(async (request, response) => {
    const name = (request.url ?? '').slice(1)
    const path = await fileNamed(service.directory, name)
    told(`${name} over HTTP: ${path === undefined ? 'no such file' : 'sent'}`)
    if (path === undefined) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-length': (await stat(path)).size })
    createReadStream(path).pipe(response)
  })
  return listenAt(server, service)
}

/** Only what the directory itself lists: no name leads out of it. */
export async function fileNamed(directory: string, name: string): Promise<string | undefined> {
  return (await readdir(directory)).includes(name) ? join(directory, name) : undefined
}
