import { type ChildProcess, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isListening } from '../../../test/bench/listening.ts'
import { toolPath } from '../../lab/host/command.ts'
import { until } from '../../lab/testing.ts'
import type { NameServerPlan } from './name-servers-for-tests.ts'

/** Other people's servers on loopback, for tests that compare with them or talk to them. */
export interface Peer {
  readonly port: number
  stop(): Promise<void>
}

/** A port that is free for UDP and, most likely, for TCP; somebody may still be quicker, so this is tried again. */
async function freePort(address: string): Promise<number> {
  const socket = createSocket('udp4')
  await new Promise<void>((resolve) => socket.bind(0, address, resolve))
  const { port } = socket.address()
  await new Promise<void>((resolve) => socket.close(() => resolve()))
  return port
}

const attempts = 5

async function startPeer(address: string, command: (port: number) => readonly string[]): Promise<Peer> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(address)
    try {
      return await startOn(address, port, command(port))
    } catch (error) {
      if (attempt === attempts) throw error
    }
  }
}

async function startOn(address: string, port: number, command: readonly string[]): Promise<Peer> {
  const [program = '', ...args] = ['setpriv', '--pdeathsig', 'KILL', '--', ...command]
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: toolPath } })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text))
  await until(`${command[0]} on ${address} port ${port}`, async () => {
    if (child.exitCode !== null) throw new Error(`${command.join(' ')} ended: ${said}`)
    // Asked of the kernel: whoever connects to a port nobody listens on yet may meet himself there.
    return (await isListening(child.pid ?? 0, 'tcp', address, port)) || undefined
  })
  return { port, stop: () => end(child) }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGKILL')
  await closed
}

/** Knot or BIND with these zones. */
export async function startNameServer(
  commandFor: (plan: NameServerPlan) => string[],
  plan: Omit<NameServerPlan, 'port'>,
): Promise<Peer> {
  return startPeer(plan.address, (port) => commandFor({ ...plan, port }))
}

/** CoreDNS; `corefile` gets the port it is to listen on. */
export async function startCoredns(
  program: string,
  address: string,
  directory: string,
  corefile: (port: number) => string,
): Promise<Peer> {
  mkdirSync(directory, { recursive: true })
  const file = join(directory, 'Corefile')
  return startPeer(address, (port) => {
    writeFileSync(file, corefile(port))
    return [program, '-conf', file]
  })
}
