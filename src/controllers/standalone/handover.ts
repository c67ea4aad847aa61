import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { failed, ok, type Result } from '../../core/result.ts'
import type { LeftDatagram } from '../../engines/sockets/process-sockets.ts'
import type { MissingAddresses } from './addresses.ts'
import type { Released } from './serve.ts'
import { answers, controlSocketPath } from './statedir.ts'

const placeSchema = z.object({ protocol: z.enum(['tcp', 'udp']), address: z.string(), port: z.number() })
const sourceSchema = z.object({ address: z.string(), port: z.number() })

const legacySchema = z.object({
  addresses: z.array(z.object({ interfaceName: z.string(), addresses: z.array(z.string()) })),
  left: z.array(z.object({ place: placeSchema, from: sourceSchema, packet: z.base64() })).default([]),
})

/** What a process leaves to the one that takes over from it. */
interface Legacy {
  readonly addresses: readonly MissingAddresses[]
  readonly left: readonly LeftDatagram[]
}

const freeWithinMs = 10_000

/** As the answer to the one that asked. */
export function legacyOf({ addresses, left }: Released): z.input<typeof legacySchema> {
  return {
    addresses: addresses.map(({ interfaceName, addresses }) => ({ interfaceName, addresses: [...addresses] })),
    left: left.map(({ place, from: { address, port }, packet }) => ({
      place: { ...place },
      from: { address, port },
      packet: packet.toString('base64'),
    })),
  }
}

/**
 * Asks the process that has the state directory to let go of everything but its open connections, and waits until it
 * has.
 */
export async function askToHandOver(stateDir: string): Promise<Result<Legacy>> {
  const path = controlSocketPath(stateDir)
  const answer = await post(path, '/hand-over')
  const legacy = legacySchema.safeParse(answer)
  const busy = (message: string): Result<never> => failed({ reason: 'StateDirInUse', message })
  if (!legacy.success) return busy(`the oooi with --state-dir ${stateDir} does not hand over: stop it instead`)
  const deadlineMs = performance.now() + freeWithinMs
  while (await answers(path)) {
    if (performance.now() > deadlineMs) return busy(`the oooi with --state-dir ${stateDir} does not let go of it`)
    await sleep(2)
  }
  const { addresses, left } = legacy.data
  return ok({ addresses, left: left.map((one) => ({ ...one, packet: Buffer.from(one.packet, 'base64') })) })
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
