import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeDomains } from './encode.ts'

/** Reads names as a client does: labels, and pointers into what came before. */
function decodeDomains(bytes: Buffer): string[] {
  const names: string[] = []
  const labelsAt = (at: number): { labels: string[]; end: number } => {
    const length = bytes.readUInt8(at)
    if (length === 0) return { labels: [], end: at + 1 }
    if (length >= 0xc0) return { labels: labelsAt(bytes.readUInt16BE(at) & 0x3fff).labels, end: at + 2 }
    const rest = labelsAt(at + 1 + length)
    return { labels: [bytes.toString('latin1', at + 1, at + 1 + length), ...rest.labels], end: rest.end }
  }
  for (let at = 0; at < bytes.length; ) {
    const { labels, end } = labelsAt(at)
    names.push(labels.join('.'))
    at = end
  }
  return names
}

test('names come back as they were, and shared endings are written once', () => {
  const label = fc.stringMatching(/^[a-z]{1,3}$/)
  const name = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join('.'))
  fc.assert(
    fc.property(fc.array(name, { maxLength: 32 }), (names) => {
      expect(decodeDomains(encodeDomains(names))).toEqual(names)
    }),
  )
  const names = Array.from({ length: 32 }, (_, index) => `zone-${index}.apps.c1.example.com`)
  expect(encodeDomains(names).length).toBeLessThan(32 * 12)
})
