import { decode, encode } from 'dns-packet'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answer } from './dns.ts'

const records = { 'registry.example.test': '203.0.113.7' }
const ask = (name: string, type: 'A' | 'AAAA') => {
  const reply = answer(encode({ type: 'query', id: 7, questions: [{ name, type }] }), records)
  return reply && decode(reply)
}

describe('the upstream resolver', () => {
  it('answers the names it has, in any case', () => {
    const reply = ask('Registry.Example.test', 'A')
    expect(reply?.id).toBe(7)
    expect(reply?.answers).toMatchObject([{ type: 'A', data: '203.0.113.7' }])
  })

  it('answers names below them', () => {
    expect(ask('fresh.registry.example.test', 'A')?.answers).toMatchObject([{ data: '203.0.113.7' }])
  })

  it('has no other types for them', () => {
    expect(ask('registry.example.test', 'AAAA')).toMatchObject({ rcode: 'NOERROR', answers: [] })
  })

  it('knows no other names', () => {
    expect(ask('nobody.example.test', 'A')).toMatchObject({ rcode: 'NXDOMAIN', answers: [] })
  })

  it('survives any bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => void answer(Buffer.from(bytes), records)))
  })
})
