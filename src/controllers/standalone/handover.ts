import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { failed, ok, type Result } from '../../core/result.ts'
import type { MissingAddresses } from './addresses.ts'
import { answers, controlSocketPath } from './statedir.ts'

const legacySchema = z.object({
  addresses: z.array(z.object({ interfaceName: z.string(), addresses: z.array(z.string()) })),
})

const freeWithinMs = 10_000

/**
 * Asks the process that has the state directory to let go of everything but its open connections, and waits until it
 * has. Nobody there is as good. Until we have bound what only one process can have, a datagram may be lost, as when a
 * network blinks; clients try again.
 */
export async function askToHandOver(stateDir: string): Promise<Result<readonly MissingAddresses[]>> {
  const path = controlSocketPath(stateDir)
  if (!(await answers(path))) return ok([])
  const answer = await post(path, '/hand-over')
  const legacy = legacySchema.safeParse(answer)
  const busy = (message: string): Result<never> => failed({ reason: 'StateDirInUse', message })
  if (!legacy.success) return busy(`the oooi with --state-dir ${stateDir} does not hand over: stop it instead`)
  const deadlineMs = performance.now() + freeWithinMs
  while (await answers(path)) {
    if (performance.now() > deadlineMs) return busy(`the oooi with --state-dir ${stateDir} does not let go of it`)
    await sleep(2)
  }
  return ok(legacy.data.addresses)
}

function post(socketPath: string, path: string): Promise<unknown> {
  return new Promise((resolve) => {
    const asking = request({ socketPath, path, method: 'POST', timeout: freeWithinMs }, (response) => {
      response.setEncoding('utf8')
      let body = ''
      response.on('data', (text: string) => {
        body += text
      })
      response.on('end', () => resolve(response.statusCode === 200 ? JSON.parse(body) : undefined))
    })
    asking.on('timeout', () => asking.destroy())
    asking.on('error', () => resolve(undefined))
    asking.end()
  })
}
