import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { serveFiles } from './files.ts'
import type { FileService, Listening } from './service.ts'
import { serveTftp } from './tftp.ts'

let directory: string
let server: Listening
let told: string[]

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'lab-files-'))
  told = []
})
afterEach(() => {
  server.close()
  rmSync(directory, { recursive: true })
})

const serviceAt = (kind: FileService['kind'], port: number): FileService => ({
  kind,
  name: kind,
  address: '127.0.0.1',
  port,
  directory,
})

/** A port that was free a moment ago: the servers are told theirs. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  return typeof address === 'object' && address ? address.port : 0
}

/** Reads a file as RFC 1350 says; the text of an error is the outcome, too. */
async function readOverTftp(port: number, name: string): Promise<string> {
  const socket = createSocket('udp4')
  const request = Buffer.concat([Buffer.of(0, 1), Buffer.from(`${name}\0octet\0`)])
  socket.send(request, port, '127.0.0.1')
  const parts: Buffer[] = []
  try {
    for (;;) {
      const [packet, from] = await once(socket, 'message')
      if (packet.readUInt16BE(0) === 5) return packet.toString('latin1', 4, packet.length - 1)
      const data = packet.subarray(4)
      parts.push(data)
      socket.send(Buffer.concat([Buffer.of(0, 4), packet.subarray(2, 4)]), from.port, '127.0.0.1')
      if (data.length < 512) return Buffer.concat(parts).toString('latin1')
    }
  } finally {
    socket.close()
  }
}

describe('the boot server over TFTP', () => {
  let port: number
  beforeEach(async () => {
    port = await freePort()
    server = await serveTftp(serviceAt('tftp', port), (line) => told.push(line))
  })

  it.each([0, 1, 511, 512, 513, 2048])('sends a file of %i bytes whole', async (length) => {
    const content = 'x'.repeat(length)
    writeFileSync(join(directory, 'boot.ipxe'), content)
    expect(await readOverTftp(port, 'boot.ipxe')).toBe(content)
    expect(told).toEqual(['boot.ipxe over TFTP: sent'])
  })

  it.each(['none', '../none', '', '/etc/passwd'])('has no file %j', async (name) => {
    expect(await readOverTftp(port, name)).toBe('no such file')
    expect(told).toEqual([`${name} over TFTP: no such file`])
  })
})

it('the boot server over HTTP sends the files of its directory and no others', async () => {
  const port = await freePort()
  server = await serveFiles(serviceAt('http', port), (line) => told.push(line))
  writeFileSync(join(directory, 'vmlinuz'), 'a kernel')
  const found = await fetch(`http://127.0.0.1:${port}/vmlinuz`)
  expect([found.status, await found.text()]).toEqual([200, 'a kernel'])
  expect((await fetch(`http://127.0.0.1:${port}/..%2fetc`)).status).toBe(404)
  expect(told).toEqual(['vmlinuz over HTTP: sent', '..%2fetc over HTTP: no such file'])
})
