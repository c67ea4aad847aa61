import { createSocket } from 'node:dgram'
import { parseIpv4 } from '../../core/net/ipv4.ts'
import type { DnsService, Listening } from './service.ts'

/**
 * Stands for the resolver of the management network, the one oooi forwards to. It is written apart from oooi's own
 * DNS engine, so that the two do not share their mistakes; it knows just enough to be asked for a few names.
 */
export function serveDns(service: DnsService): Promise<Listening> {
  const socket = createSocket('udp4')
  socket.on('message', (query, client) => {
    const reply = answer(query, service.records)
    if (reply) socket.send(reply, client.port, client.address)
  })
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.bind(service.port, service.address, () => resolve({ close: () => void socket.close() }))
  })
}

/** The answer to a query of one question; undefined for anything else (RFC 1035 section 4.1). */
export function answer(query: Buffer, records: Readonly<Record<string, string>>): Buffer | undefined {
  const question = readQuestion(query)
  if (!question) return undefined
  // A name below one of ours is as good: a machine that asks for a new one each time gets no answer out of a cache.
  const parent = question.name.slice(question.name.indexOf('.') + 1)
  const address = parseIpv4(records[question.name] ?? records[parent] ?? '')
  const isAddressQuery = question.type === 1
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  // A response, authoritative, recursion available; NXDOMAIN where there is no such name.
  header.writeUInt16BE(0x8580 | (address === undefined ? 3 : 0), 2)
  header.writeUInt16BE(1, 4)
  const asked = query.subarray(12, question.end)
  if (address === undefined || !isAddressQuery) return Buffer.concat([header, asked])
  header.writeUInt16BE(1, 6)
  const record = Buffer.alloc(16)
  record.writeUInt16BE(0xc00c, 0)
  record.writeUInt16BE(1, 2)
  record.writeUInt16BE(1, 4)
  record.writeUInt32BE(30, 6)
  record.writeUInt16BE(4, 10)
  record.writeUInt32BE(address, 12)
  return Buffer.concat([header, asked, record])
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } | undefined {
  if (query.length < 17 || query.readUInt16BE(4) !== 1 || query.readUInt16BE(2) & 0x8000) return undefined
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    if (length > 63 || at + 1 + length >= query.length) return undefined
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase())
    at += 1 + length
  }
  if (at + 5 > query.length) return undefined
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 }
}
