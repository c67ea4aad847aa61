import { createSocket, type RemoteInfo } from 'node:dgram'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'

/**
 * Run as a process of its own in the namespace of a boot server. Over TFTP (RFC 1350, files of one block only) it has
 * one file, a script for iPXE; over HTTP on port 80 the files of a directory. Prints what it is asked for.
 */
const [address = '', fileName = '', script = '', directory] = process.argv.slice(2)
const readRequest = 1
const data = 3
const error = 5
const fileNotFound = 1

const socket = createSocket('udp4')
socket.on('message', (request: Buffer, from: RemoteInfo) => {
  if (request.readUInt16BE(0) !== readRequest) return
  const name = request.toString('latin1', 2, request.indexOf(0, 2))
  process.stdout.write(`asked for ${name}\n`)
  const isThere = name === fileName
  const head = Uint8Array.of(0, isThere ? data : error, 0, isThere ? 1 : fileNotFound)
  const answer = Buffer.concat([head, Buffer.from(isThere ? script : 'no such file\0')])
  // Each transfer has a port of its own.
  const transfer = createSocket('udp4')
  transfer.bind(0, address, () => transfer.send(answer, from.port, from.address))
  transfer.once('message', () => transfer.close())
})
socket.bind(69, address, () => process.stdout.write('serving\n'))

if (directory !== undefined) {
  createServer(async (request, response) => {
    const name = (request.url ?? '').slice(1)
    process.stdout.write(`asked for ${name} over HTTP\n`)
    const path = join(directory, name)
    if ((await readdir(directory)).includes(name)) {
      response.writeHead(200, { 'content-length': (await stat(path)).size })
      createReadStream(path).pipe(response)
    } else response.writeHead(404).end()
  }).listen(80, address)
}
