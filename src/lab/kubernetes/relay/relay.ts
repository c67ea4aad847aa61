import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { identify } from '../../ledger/identity.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { inNamespace } from '../../network/build.ts'

/**
 * Makes a TCP server inside a namespace reachable at a loopback port of the host, without any interface between the two:
 * a socket stays in the namespace in which it was opened, so we open it here and hand it to a process over there.
 */
export async function startRelay(ledger: Ledger, namespace: string, host: string, port: number): Promise<number> {
  ledger.mustBeOpen()
  const [command = '', ...args] = inNamespace(namespace, [
    process.execPath,
    join(import.meta.dirname, 'main.ts'),
    host,
    String(port),
  ])
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', command, ...args], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const identity = child.pid === undefined ? undefined : identify(child.pid)
  if (identity) ledger.record({ kind: 'process', what: 'relay', process: identity, graceMs: 0 })
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const failed = once(child, 'exit').then(() => {
    throw new Error(`the relay to ${host}:${port} in ${namespace} did not start`)
  })
  failed.catch(() => {})
  child.send('listen', server)
  await Promise.race([once(child, 'message'), failed])
  server.close()
  child.disconnect()
  child.unref()
  return typeof address === 'object' && address ? address.port : 0
}
