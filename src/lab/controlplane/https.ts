import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { TLSSocket } from 'node:tls'
import { listenAt } from './listen.ts'
import type { HttpsService, Listening } from './service.ts'

/** Headers by which a client sees who answered, and which name its TLS asked for. */
const serviceHeader = 'lab-service'
const serverNameHeader = 'lab-server-name'

export function serveHttps(service: HttpsService): Promise<Listening> {
  const identity = { cert: readFileSync(service.certificate), key: readFileSync(service.key) }
  const server = createServer(identity, (request, response) => {
    const serverName = request.socket instanceof TLSSocket ? request.socket.servername : false
    const body = service.paths[request.url ?? '']
    response.writeHead(body === undefined ? 404 : 200, {
      'content-type': 'application/json',
      [serviceHeader]: service.name,
      [serverNameHeader]: serverName || 'none',
    })
    response.end(body === undefined ? '' : `${JSON.stringify(body)}\n`)
  })
  return listenAt(server, service)
}
