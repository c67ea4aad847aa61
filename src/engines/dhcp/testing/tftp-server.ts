import { createSocket, type RemoteInfo } from 'node:dgram'

/**
 * Run as a process of its own in the namespace of a boot server (RFC 1350, files of one block only). It has one file,
 * a script for iPXE, which fetches another one whose name tells what the machine knows of itself. Prints what it is
 * asked for.
 */
const [address = '', fileName = ''] = process.argv.slice(2)
// biome-ignore lint/suspicious/noTemplateCurlyInString: these are settings of iPXE.
const script = '#!ipxe\nchain tftp://${next-server}/booted-${net0/mac:hexhyp}-${net0/ip}-${net0/gateway}\n'
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
