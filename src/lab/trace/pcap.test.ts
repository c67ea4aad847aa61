import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readPcap } from './pcap.ts'

const header = Buffer.alloc(24)
header.writeUInt32LE(0xa1b2c3d4)

function record(epochMs: number, text: string): Buffer {
  const bytes = Buffer.alloc(16)
  const microseconds = epochMs * 1000
  bytes.writeUInt32LE(Math.floor(microseconds / 1e6), 0)
  bytes.writeUInt32LE(microseconds % 1e6, 4)
  bytes.writeUInt32LE(text.length, 8)
  bytes.writeUInt32LE(text.length, 12)
  return Buffer.concat([bytes, Buffer.from(text)])
}

const read = (...records: Buffer[]) =>
  readPcap(Buffer.concat([header, ...records])).map(({ epochMs, bytes }) => [epochMs, bytes.toString()])

test('frames with their times; one that was cut off ends the list', () => {
  const last = record(3000, 'cut off').subarray(0, -1)
  expect(read(record(1000, 'one'), record(2000.5, 'two'), last)).toEqual([
    [1000, 'one'],
    [2000.5, 'two'],
  ])
  expect(readPcap(Buffer.from('no capture at all, but long enough'))).toEqual([])
})

test('what came later stays later when the clock was set back', () => {
  expect(read(record(2000, 'offer'), record(1999, 'ack'), record(2001, 'query'))).toEqual([
    [2000, 'offer'],
    [2000, 'ack'],
    [2001, 'query'],
  ])
})

test('survives any bytes', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => void readPcap(Buffer.concat([header, bytes]))))
})
