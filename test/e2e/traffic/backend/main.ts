import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/**
 * Runs in a pod, from a ConfigMap: says which backend it is, over HTTP and over WebSocket. Only what the tests send:
 * short text frames, ping and close (RFC 6455); the clients are real.
 */

const name = process.env.BACKEND ?? 'nameless'
const acceptSuffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const opcodes = { text: 0x1, close: 0x8, ping: 0x9, pong: 0xa }

createServer((request, response) => response.end(JSON.stringify({ backend: name, path: request.url })))
  .on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}${acceptSuffix}`).digest('base64')
    const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade']
    socket.write([...lines, `Sec-WebSocket-Accept: ${accept}`, '', ''].join('\r\n'))
    let buffered = Buffer.alloc(0)
    socket.on('error', () => socket.destroy())
    socket.on('data', (bytes: Buffer) => {
      buffered = Buffer.concat([buffered, bytes])
      for (let size = frameSize(buffered); size !== undefined; size = frameSize(buffered)) {
        answer(socket, buffered.subarray(0, size))
        buffered = buffered.subarray(size)
      }
    })
  })
  .listen(8080)

/** Of the first frame, if it is there completely: two bytes, the mask, and at most 125 bytes. */
function frameSize(bytes: Buffer): number | undefined {
  const size = 6 + ((bytes[1] ?? 0) & 0x7f)
  return bytes.length >= size ? size : undefined
}

function answer(socket: Duplex, frame: Buffer): void {
  const mask = frame.subarray(2, 6)
  const payload = Buffer.from(frame.subarray(6).map((byte, index) => byte ^ (mask[index % 4] ?? 0)))
  const opcode = (frame[0] ?? 0) & 0x0f
  if (opcode === opcodes.text) send(socket, opcodes.text, Buffer.from(`${name}: ${payload}`))
  if (opcode === opcodes.ping) send(socket, opcodes.pong, payload)
  if (opcode !== opcodes.close) return
  send(socket, opcodes.close, payload)
  socket.end()
}

function send(socket: Duplex, opcode: number, payload: Buffer): void {
  socket.write(Buffer.concat([Buffer.from([0x80 | opcode, payload.length]), payload]))
}
