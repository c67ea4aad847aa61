import { createSocket, type RemoteInfo } from 'node:dgram'
import { readFile } from 'node:fs/promises'
import { fileNamed } from './files.ts'
import type { FileService, Listening } from './service.ts'

/** RFC 1350 section 5. */
const opcode = { readRequest: 1, data: 3, acknowledgement: 4, error: 5 } as const
const fileNotFound = 1
const blockBytes = 512

const patienceMs = 1000
const retries = 4

/**
 * TFTP as RFC 1350 has it, for reading: blocks of 512 bytes, one at a time, no options. Enough for a script or a small
 * loader, which fetches the rest over HTTP. `told` gets a line for each file that is asked for.
 */
export function serveTftp(service: FileService, told: (line: string) => void): Promise<Listening> {
  const socket = createSocket('udp4')
  socket.on('message', async (request, client) => {
    if (request.length < 4 || request.readUInt16BE(0) !== opcode.readRequest) return
    const name = request.toString('latin1', 2, request.indexOf(0, 2))
    const path = await fileNamed(service.directory, name)
    told(`${name} over TFTP: ${path === undefined ? 'no such file' : 'sent'}`)
    if (path === undefined) refuse(service.address, client)
    else send(service.address, client, await readFile(path))
  })
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.bind(service.port, service.address, () => resolve({ close: () => void socket.close() }))
  })
}

function refuse(address: string, client: RemoteInfo): void {
  const transfer = createSocket('udp4')
  const packet = packetOf(opcode.error, fileNotFound, Buffer.from('no such file\0'))
  transfer.bind(0, address, () => transfer.send(packet, client.port, client.address, () => transfer.close()))
}

/** Each transfer has a port of its own. A block that is not a full one is the last; an empty one may have to be. */
function send(address: string, client: RemoteInfo, content: Buffer): void {
  const transfer = createSocket('udp4')
  let block = 0
  let timer: NodeJS.Timeout | undefined
  const end = (): void => {
    clearTimeout(timer)
    transfer.close()
  }
  const sendBlock = (triesLeft: number): void => {
    const data = content.subarray(block * blockBytes, (block + 1) * blockBytes)
    transfer.send(packetOf(opcode.data, numberOf(block), data), client.port, client.address)
    timer = setTimeout(() => (triesLeft > 0 ? sendBlock(triesLeft - 1) : end()), patienceMs)
  }
  transfer.on('message', (answer) => {
    const isAcknowledged = answer.length >= 4 && answer.readUInt16BE(0) === opcode.acknowledgement
    if (isAcknowledged && answer.readUInt16BE(2) !== numberOf(block)) return
    clearTimeout(timer)
    block++
    if (isAcknowledged && block * blockBytes <= content.length) sendBlock(retries)
    else end()
  })
  transfer.bind(0, address, () => sendBlock(retries))
}

/** Blocks count from one, in sixteen bits. */
function numberOf(block: number): number {
  return (block + 1) & 0xffff
}

function packetOf(code: number, number: number, rest: Buffer): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16BE(code, 0)
  head.writeUInt16BE(number, 2)
  return Buffer.concat([head, rest])
}
