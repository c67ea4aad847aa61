import { Resolver } from 'node:dns/promises'
import { checkServerIdentity, connect } from 'node:tls'
import type { Path } from '../../core/trace/paths.ts'

export interface NameServer {
  readonly address: string
  readonly port: number
}

const timeoutMs = 5000

/**
 * Goes the way of a machine: asks for the name, connects, looks at the certificate. Gives what is wrong, if anything.
 * `stop` ends it at once: a proxy that drains would wait for this connection as for any other.
 */
export async function tryPath(
  path: Path,
  { address, port }: NameServer,
  nowMs: number,
  stop: AbortSignal,
): Promise<string | undefined> {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 })
  resolver.setServers([`${address}:${port}`])
  const cancel = (): void => resolver.cancel()
  stop.addEventListener('abort', cancel)
  const addresses = await resolver.resolve4(path.hostname).catch((error: NodeJS.ErrnoException) => error)
  stop.removeEventListener('abort', cancel)
  if (addresses instanceof Error) return `DNS does not answer for it (${addresses.code ?? addresses.message})`
  const [target] = addresses
  return target === undefined ? 'DNS has no address for it' : tryCertificate(path, target, nowMs, stop)
}

async function tryCertificate(
  { hostname, port }: Path,
  host: string,
  nowMs: number,
  stop: AbortSignal,
): Promise<string | undefined> {
  if (stop.aborted) return undefined
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  // Whoever signed it is between the machine and the control plane; whose it is can be seen here.
  const socket = connect({ host, port, servername: hostname, rejectUnauthorized: false, timeout: timeoutMs }, () => {
    const certificate = socket.getPeerCertificate()
    const mismatch = checkServerIdentity(hostname, certificate)
    const isOver = Date.parse(certificate.valid_to) < nowMs
    socket.destroy()
    if (mismatch)
      resolve(`the certificate at ${host}:${port} is not for it (${certificate.subjectaltname ?? 'no names'})`)
    else resolve(isOver ? `the certificate at ${host}:${port} was valid until ${certificate.valid_to}` : undefined)
  })
  socket.on('timeout', () => socket.destroy(new Error('no answer within 5 seconds')))
  socket.on('error', (error: NodeJS.ErrnoException) =>
    resolve(`no TLS at ${host}:${port} (${error.code ?? error.message})`),
  )
  const hangUp = (): void => void socket.destroy(new Error('it is not wanted any more'))
  stop.addEventListener('abort', hangUp)
  return promise.finally(() => stop.removeEventListener('abort', hangUp))
}
