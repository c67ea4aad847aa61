import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { diesWithUs, toolPath } from '../host/command.ts'
import { inNamespace } from '../network/build.ts'
import { type Frame, readPcap } from './pcap.ts'

export interface Capture {
  /** What was captured until now. */
  frames(): Frame[]
  stop(): Promise<void>
}

/** Captures the IPv4 frames of an interface in a namespace; returns when it listens. */
export async function startCapture(namespace: string, device: string): Promise<Capture> {
  const capture = ['perl', join(import.meta.dirname, 'capture.pl'), device]
  const [program, ...args] = [...diesWithUs, ...inNamespace(namespace, capture)]
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: toolPath },
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  const listening = Promise.withResolvers<void>()
  child.stderr.setEncoding('utf8').on('data', (text: string) => text.includes('listening on') && listening.resolve())
  const ended = once(child, 'close')
  await Promise.race([listening.promise, ended])
  return {
    frames: () => readPcap(Buffer.concat(chunks)),
    stop: async () => {
      // The last packets are on their way from the kernel.
      await sleep(100)
      child.kill()
      await ended
    },
  }
}
