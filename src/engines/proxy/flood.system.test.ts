import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { until } from '../../lab/testing.ts'
import { converse, echoHello } from './testing/conversation.ts'
import { connectTo, echoServer, freePort } from './testing/loopback.ts'

/** A tenth in every run, all of them with OOOI_SOAK=1. */
const handshakes = process.env.OOOI_SOAK === '1' ? 10_000 : 1000
const perSource = 100
const mostGrowthBytes = 64 * 1024 * 1024

function residentBytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kibibytes) * 1024
}

it(`keeps its memory and serves real clients while ${handshakes} others say half of what they have to say`, async () => {
  await using echo = await echoServer()
  const port = await freePort()
  const child = fork(join(import.meta.dirname, 'serve-for-tests.ts'), [String(port), String(echo.port)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    // As in the pod.
    execArgv: ['--max-semi-space-size=4'],
  })
  const silent: Socket[] = []
  try {
    expect(String(await once(child.stdout ?? child, 'data'))).toContain('serving')
    const pid = child.pid ?? 0
    for (let turn = 0; turn < 100; turn += 1) await converse(port, 'warm')
    const before = residentBytes(pid)
    for (let count = 0; count < handshakes; count += perSource) {
      const source = count / perSource
      const batch = Array.from({ length: perSource }, () =>
        connectTo(port, '127.0.0.1', `127.9.${source >> 8}.${(source & 255) + 1}`),
      )
      for (const client of await Promise.all(batch)) {
        client.on('error', () => {})
        client.resume().write(echoHello.subarray(0, 60))
        silent.push(client)
      }
      expect(await converse(port, `real ${count}`)).toBe(`real ${count}`)
    }
    expect(residentBytes(pid) - before).toBeLessThan(mostGrowthBytes)
    // They are told to go by the deadline of their hello, or earlier when others need the place.
    await until('the end of all of them', async () => {
      child.send('how many?')
      const [open] = await once(child, 'message')
      return open === 0 || undefined
    })
  } finally {
    for (const client of silent) client.destroy()
    child.kill()
  }
})
