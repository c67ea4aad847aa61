import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeServer, freePort, listenOnLoopback } from './testing/loopback.ts'
import { backendTo, ProxyFixture } from './testing/proxy-fixture.ts'
import { distinctContents, readSlowly, sumOf } from './testing/slow-streams.ts'

/** Real TLS ends: Node's servers; Node, OpenSSL and curl as clients. */

const apiName = 'api.c1.example.com'
const contents = distinctContents({ count: 32, bytes: 6 * 1024 * 1024 })

let directory: string
let certificate: Buffer
let proxy: ProxyFixture
let port: number
let withoutDefaultPort: number
const servers: Server[] = []

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'oooi-proxy-'))
  const names = `subjectAltName=DNS:${apiName},DNS:*.apps.c1.example.com`
  const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=test'
  await run('openssl', [
    ...request.split(' '),
    '-addext',
    names,
    '-keyout',
    inDirectory('key'),
    '-out',
    inDirectory('cert'),
  ])
  certificate = await readFile(inDirectory('cert'))
  const key = await readFile(inDirectory('key'))
  const ports = []
  for (const name of ['api', 'apps']) {
    const server = createServer({ key, cert: certificate }, (request, response) => {
      const content = contents[Number(request.url?.split('/content/')[1])]
      response.end(content ?? `${name}\n`)
    })
    servers.push(server)
    ports.push(await listenOnLoopback(server))
  }
  const [apiPort = 0, appsPort = 0] = ports
  port = await freePort()
  withoutDefaultPort = await freePort()
  proxy = new ProxyFixture()
  await proxy.apply([
    backendTo('api', port, apiPort, { hostname: apiName, default: true }),
    backendTo('apps', port, appsPort, { hostname: '*.apps.c1.example.com' }),
    backendTo('other', withoutDefaultPort, appsPort),
  ])
})

afterAll(async () => {
  await proxy.engine.stop(0)
  for (const server of servers) {
    server.closeAllConnections()
    await closeServer(server)
  }
  await rm(directory, { recursive: true })
})

function inDirectory(name: string): string {
  return join(directory, `${name}.pem`)
}

interface Ran {
  readonly code: number
  readonly output: string
}

function run(program: string, args: readonly string[]): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, { timeout: 20_000 }, (error, stdout, stderr) => {
      if (error && typeof error.code !== 'number') reject(error)
      else resolve({ code: Number(error?.code ?? 0), output: stdout + stderr })
    })
    child.stdin?.end()
  })
}

function curl(url: string, ...more: string[]): Promise<Ran> {
  const host = new URL(url).hostname
  const common = ['--silent', '--show-error', '--max-time', '10', '--cacert', inDirectory('cert')]
  return run('curl', [...common, '--resolve', `${host}:${port}:127.0.0.1`, ...more, url])
}

describe('curl', () => {
  it('reaches the backend of the name', async () => {
    expect(await curl(`https://${apiName}:${port}/`)).toEqual({ code: 0, output: 'api\n' })
    expect(await curl(`https://console.apps.c1.example.com:${port}/`)).toEqual({ code: 0, output: 'apps\n' })
  })

  it('reaches the default by address', async () => {
    expect(await curl(`https://127.0.0.1:${port}/`, '--insecure')).toEqual({ code: 0, output: 'api\n' })
  })

  it('is told that a name is unknown', async () => {
    const { code, output } = await curl(`https://nobody.example.com:${port}/`)
    expect(code).toBe(35)
    expect(output).toContain('unrecognized name')
  })

  it('is closed when it speaks plain HTTP', async () => {
    expect((await curl(`http://${apiName}:${port}/`)).code).toBe(52)
  })
})

describe('openssl s_client', () => {
  const handshake = (to: number, ...args: string[]) =>
    run('openssl', ['s_client', '-brief', '-connect', `127.0.0.1:${to}`, ...args])

  it('gets through with a name and without', async () => {
    expect((await handshake(port, '-servername', apiName)).output).toContain('CONNECTION ESTABLISHED')
    expect((await handshake(port, '-noservername')).output).toContain('CONNECTION ESTABLISHED')
    expect((await handshake(port, '-servername', apiName, '-tls1_2')).output).toContain('TLSv1.2')
    expect((await handshake(port, '-servername', apiName, '-max_send_frag', '512')).output).toContain('ESTABLISHED')
  })

  it('is told what is wrong', async () => {
    expect((await handshake(port, '-servername', 'nobody.example.com')).output).toContain('unrecognized name')
    expect((await handshake(withoutDefaultPort, '-noservername')).output).toContain('handshake failure')
  })
})

async function tlsClient(servername = apiName): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, servername, ca: certificate })
  await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject))
  return socket
}

function get(socket: TLSSocket, path: string): void {
  socket.write(`GET ${path} HTTP/1.0\r\nHost: x\r\n\r\n`)
}

describe('Node', () => {
  it('is told that a name is unknown', async () => {
    await expect(tlsClient('nobody.example.com')).rejects.toMatchObject({ code: 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME' })
  })

  it('keeps its connection while the backend is changed and removed', async () => {
    await using local = new ProxyFixture()
    const [localPort, targetPort] = [await freePort(), portOfServer(0)]
    await local.apply([backendTo('api', localPort, targetPort, { hostname: apiName })])
    const socket = connect({ host: '127.0.0.1', port: localPort, servername: apiName, ca: certificate })
    await new Promise((resolve) => socket.once('secureConnect', resolve))
    await local.apply([backendTo('api', localPort, portOfServer(1), { hostname: apiName })])
    await local.apply([backendTo('else', await freePort(), portOfServer(1))])
    get(socket, '/')
    expect((await socket.toArray()).join('')).toContain('api\n')
  })

  it('gets every byte right when many read slowly', async () => {
    const received = await Promise.all(
      contents.map(async (_, index) => {
        const socket = await tlsClient()
        get(socket, `/content/${index}`)
        return readSlowly(socket, afterHeaders())
      }),
    )
    expect(received).toEqual(contents.map(sumOf))
  })
})

function portOfServer(index: number): number {
  const address = servers[index]?.address()
  if (!address || typeof address === 'string') throw new Error('no such server')
  return address.port
}

/** Drops the header of an HTTP response from the pieces of it. */
function afterHeaders(): (piece: Buffer) => Buffer {
  let head: Buffer | undefined = Buffer.alloc(0)
  return (piece) => {
    if (!head) return piece
    head = Buffer.concat([head, piece])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return Buffer.alloc(0)
    const body = head.subarray(end + 4)
    head = undefined
    return body
  }
}
