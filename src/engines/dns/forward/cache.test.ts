import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Answer, bareAnswer, serverFailure } from '../codec/answer.ts'
import { encodeName } from '../codec/name.ts'
import { extendedError, recordType } from '../codec/numbers.ts'
import { type Question, questionTag } from '../codec/question.ts'
import { WireName } from '../codec/wire-name.ts'
import { AnswerCache } from './cache.ts'

function question(text: string, type: number = recordType.A, dnssecOk = false, checkingDisabled = false): Question {
  const name = encodeName(text)
  const cursor = new WireName(1)
  cursor.read(name, 0, name.length)
  return { name, hash: cursor.hash, type, dnssecOk, checkingDisabled }
}

function find(cache: AnswerCache, { name, hash, type, dnssecOk, checkingDisabled }: Question, nowMs: number) {
  return cache.find(name, name.length, hash, questionTag(type, dnssecOk, checkingDisabled), nowMs)
}

const answer = (size = 16): Answer => ({
  ...bareAnswer(0),
  answerCount: 1,
  body: new Uint8Array(size),
  ttlOffsets: [6],
})

describe('the cache', () => {
  it('gives an answer until it is too old', () => {
    const cache = new AnswerCache(1 << 20)
    cache.keep(question('a.test'), answer(), 10, 1000)
    expect(find(cache, question('a.test'), 10_999)).toMatchObject({ storedAtMs: 1000 })
    expect(find(cache, question('a.test'), 11_000)).toBeUndefined()
    expect([cache.hits, cache.misses]).toEqual([1, 1])
  })

  it('tells name, type, DO and CD apart', () => {
    const cache = new AnswerCache(1 << 20)
    cache.keep(question('a.test'), answer(), 10, 0)
    const others = [
      question('b.test'),
      question('a.test', recordType.AAAA),
      question('a.test', 1, true),
      question('a.test', 1, false, true),
    ]
    expect(others.map((other) => find(cache, other, 0))).toEqual(others.map(() => undefined))
  })

  it('keeps nothing that may not be kept', () => {
    const cache = new AnswerCache(1 << 20)
    expect(cache.keep(question('a.test'), answer(), 0, 0).answer.answerCount).toBe(1)
    expect(cache.size).toBe(0)
  })

  it('stays within its bytes, and lets go first of what nobody asked for', () => {
    const cache = new AnswerCache(20_000)
    cache.keep(question('used.test'), answer(1000), 1000, 0)
    for (let index = 0; index < 100; index++) {
      cache.keep(question(`n${index}.test`), answer(1000), 1000, 0)
      find(cache, question('used.test'), 0)
    }
    expect(cache.byteCount).toBeLessThanOrEqual(20_000)
    expect(cache.size).toBeGreaterThan(5)
    expect(find(cache, question('used.test'), 0)).toBeDefined()
    expect(find(cache, question('n0.test'), 0)).toBeUndefined()
    expect(find(cache, question('n99.test'), 0)).toBeDefined()
  })

  it('gives back what was put in, whatever is put in beside it', () => {
    const kept = fc.record({
      label: fc.integer({ min: 0, max: 30 }),
      type: fc.constantFrom(1, 28, 65_535),
      dnssecOk: fc.boolean(),
      body: fc.uint8Array({ maxLength: 700 }),
      ttlOffsets: fc.array(fc.integer({ min: 0, max: 65_535 }), { maxLength: 5 }),
      code: fc.constantFrom(0, 3),
      counts: fc.tuple(fc.nat(9), fc.nat(9), fc.nat(9)),
    })
    fc.assert(
      fc.property(fc.array(kept, { maxLength: 60 }), (series) => {
        const cache = new AnswerCache(6000)
        const model = new Map<string, Answer>()
        for (const { label, type, dnssecOk, body, ttlOffsets, code, counts } of series) {
          const [answerCount, authorityCount, additionalCount] = counts
          const made = { ...bareAnswer(code, 0x20), answerCount, authorityCount, additionalCount, body, ttlOffsets }
          cache.keep(question(`n${label}.test`, type, dnssecOk), made, 60, 0)
          model.set(`${label} ${type} ${dnssecOk}`, made)
        }
        let found = 0
        for (const [key, made] of model) {
          const [label, type, dnssecOk] = key.split(' ')
          const entry = find(cache, question(`n${label}.test`, Number(type), dnssecOk === 'true'), 0)
          if (entry === undefined) continue
          found++
          expect({ ...entry.answer, body: [...entry.answer.body] }).toEqual({ ...made, body: [...made.body] })
        }
        expect(found).toBe(cache.size)
        expect(cache.byteCount).toBeLessThanOrEqual(6000)
        if (series.length > 0) expect(found).toBeGreaterThan(0)
      }),
    )
  })

  it('does not hold an answer that is larger than itself', () => {
    const cache = new AnswerCache(1000)
    cache.keep(question('big.test'), answer(5000), 1000, 0)
    expect([cache.size, cache.byteCount]).toEqual([0, 0])
  })

  it('gives a stale answer with a short TTL when there is no fresh one, for a while', () => {
    const cache = new AnswerCache(1 << 20)
    cache.keep(question('a.test'), answer(), 10, 0)
    const stale = cache.keepFailure(question('a.test'), serverFailure, extendedError.networkError, 60_000)
    expect(stale).toMatchObject({ extendedError: extendedError.staleAnswer, answer: { answerCount: 1 } })
    expect(Buffer.from(stale.answer.body).readUInt32BE(6)).toBe(30)
    expect(find(cache, question('a.test'), 64_000)).toBeDefined()
    expect(find(cache, question('a.test'), 66_000)).toBeUndefined()
    const afterAnHour = cache.keepFailure(question('a.test'), serverFailure, extendedError.networkError, 3_700_000)
    expect(afterAnHour.answer.responseCode).toBe(2)
  })

  it('lets a popular answer be fetched anew shortly before its end, once', () => {
    const cache = new AnswerCache(1 << 20)
    cache.keep(question('a.test'), answer(), 100, 0)
    const due = (nowMs: number) => find(cache, question('a.test'), nowMs)?.questionToRefresh(nowMs)
    expect([due(1000), due(2000), due(3000)]).toEqual([undefined, undefined, undefined])
    expect([due(89_000), due(91_000), due(92_000)]).toEqual([undefined, question('a.test'), undefined])
    cache.keep(question('b.test'), answer(), 100, 0)
    expect(find(cache, question('b.test'), 95_000)?.questionToRefresh(95_000)).toBeUndefined()
  })

  it('keeps a fresh answer when fetching it anew failed', () => {
    const cache = new AnswerCache(1 << 20)
    cache.keep(question('a.test'), answer(), 100, 0)
    expect(cache.keepFailure(question('a.test'), serverFailure, extendedError.networkError, 95_000)).toMatchObject({
      extendedError: extendedError.none,
      answer: { answerCount: 1 },
    })
    expect(find(cache, question('a.test'), 99_000)).toMatchObject({ extendedError: extendedError.none })
  })

  it('remembers a failure for a moment, and never as an old answer', () => {
    const cache = new AnswerCache(1 << 20)
    cache.keepFailure(question('a.test'), serverFailure, extendedError.networkError, 0)
    expect(find(cache, question('a.test'), 900)?.answer.responseCode).toBe(2)
    expect(find(cache, question('a.test'), 1100)).toBeUndefined()
    const again = cache.keepFailure(question('a.test'), serverFailure, extendedError.networkError, 2000)
    expect(again.extendedError).toBe(extendedError.networkError)
  })
})
