import { connect } from 'node:net'
import { readUint16, writeUint16 } from '../codec/bytes.ts'
import { type Question, upstreamQuery, usualForm } from '../codec/question.ts'
import type { RandomNumbers } from './random.ts'
import type { ExchangeResult } from './udp-exchange.ts'
import type { UpstreamAddress } from './upstream-address.ts'

/** Asks one upstream over TCP, on a connection of its own: this is the rare way, for answers too long for UDP. */
export function askOverTcp(
  upstream: UpstreamAddress,
  question: Question,
  random: RandomNumbers,
  done: (result: ExchangeResult) => void,
): () => void {
  const id = random.uint16()
  const socket = connect({ host: upstream.address, port: upstream.port })
  let received = Buffer.alloc(0)
  const finish = (result?: ExchangeResult): void => {
    socket.removeAllListeners('data')
    socket.destroy()
    if (result !== undefined && !finished) done(result)
    finished = true
  }
  let finished = false
  socket.on('connect', () => {
    const packet = upstreamQuery(question, id, usualForm)
    const framed = new Uint8Array(packet.length + 2)
    writeUint16(framed, 0, packet.length)
    framed.set(packet, 2)
    socket.write(framed)
  })
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
    const length = received.length < 2 ? Number.POSITIVE_INFINITY : readUint16(received, 0) + 2
    if (received.length < length) return
    const message = received.subarray(2, length)
    finish(message.length >= 12 && readUint16(message, 0) === id ? message : 'unreachable')
  })
  socket.on('error', () => finish('unreachable'))
  socket.on('end', () => finish('unreachable'))
  socket.unref()
  return () => finish()
}
