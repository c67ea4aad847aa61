import type { Answer } from '../codec/answer.ts'
import { writeUint32 } from '../codec/bytes.ts'
import { extendedError } from '../codec/numbers.ts'
import { type Question, questionOfTag, questionTag } from '../codec/question.ts'
import { AnswerPad } from './answer-pad.ts'
import { AnswerStore } from './answer-store.ts'

/** An answer that an upstream gave, with its age. */
export interface KeptAnswer {
  readonly answer: Answer
  readonly storedAtMs: number
  /** Said along with it (RFC 8914), or `extendedError.none`. */
  readonly extendedError: number
}

/** An answer found in the cache. There is one object for all of them: it is to be used before the cache is used again. */
export interface FoundAnswer extends KeptAnswer {
  /** Not undefined once: the answer is popular and near its end, so this should be asked before anybody has to wait for it. */
  questionToRefresh(nowMs: number): Question | undefined
}

/** Asked so often within its lifetime, an answer is fetched anew in the last tenth of it. */
const popularUses = 3
const refreshShare = 0.1
const shortestRefreshedMs = 5000

const staleSeconds = 3600
/** RFC 8767 section 5: the TTL of stale answers; section 5.1: how long before the upstream is tried again. */
const staleTtlSeconds = 30
const staleRecheckSeconds = 5
/** RFC 9520: failures are remembered too, or every retry of every client becomes a query. */
const failureSeconds = 1

/** Answers of upstreams, bounded in bytes. What was not used since it was last looked at goes first. */
export class AnswerCache {
  readonly #byteLimit: number
  #store: AnswerStore
  #found: Found
  hits = 0
  misses = 0

  constructor(byteLimit: number) {
    this.#byteLimit = byteLimit
    this.#store = new AnswerStore(byteLimit)
    this.#found = new Found(this.#store)
  }

  get size(): number {
    return this.#store.size
  }

  get byteCount(): number {
    return this.#store.byteCount
  }

  /** A fresh answer for the first `length` bytes of `name`. */
  find(name: Uint8Array, length: number, hash: number, tag: number, nowMs: number): FoundAnswer | undefined {
    const place = this.#store.find(name, length, hash, tag)
    if (place === 0 || this.#store.expiresAtMs(place) <= nowMs) {
      this.misses++
      return undefined
    }
    this.hits++
    this.#store.noteUse(place)
    return this.#found.at(place, hash, tag)
  }

  keep(question: Question, answer: Answer, lifetimeSeconds: number, nowMs: number): KeptAnswer {
    const expiresAtMs = nowMs + lifetimeSeconds * 1000
    const kept = { answer, storedAtMs: nowMs, extendedError: extendedError.none }
    if (lifetimeSeconds > 0) this.#put(question, kept, expiresAtMs, expiresAtMs + staleSeconds * 1000)
    return kept
  }

  /** No upstream has answered: the old answer if there is one that may still be told, else this failure. */
  keepFailure(question: Question, failure: Answer, error: number, nowMs: number): KeptAnswer {
    const { name, hash } = question
    const tag = tagOf(question)
    const old = this.#store.find(name, name.length, hash, tag)
    // It was asked for again before its end, in vain: it has not ended yet.
    if (old !== 0 && this.#store.expiresAtMs(old) > nowMs) return this.#found.at(old, hash, tag).detach()
    const staleUntilMs = old === 0 ? 0 : this.#store.staleUntilMs(old)
    if (staleUntilMs > nowMs) {
      const answer = withTtl(this.#found.at(old, hash, tag).detach().answer, staleTtlSeconds)
      const stale = { answer, storedAtMs: nowMs, extendedError: extendedError.staleAnswer }
      this.#put(question, stale, nowMs + staleRecheckSeconds * 1000, staleUntilMs)
      return stale
    }
    const failed = { answer: failure, storedAtMs: nowMs, extendedError: error }
    this.#put(question, failed, nowMs + failureSeconds * 1000, nowMs)
    return failed
  }

  clear(): void {
    this.#store = new AnswerStore(this.#byteLimit)
    this.#found = new Found(this.#store)
  }

  #put(question: Question, kept: KeptAnswer, expiresAtMs: number, staleUntilMs: number): void {
    const { storedAtMs, extendedError: error } = kept
    const terms = { storedAtMs, expiresAtMs, staleUntilMs, extendedError: error }
    this.#store.put(question, tagOf(question), kept.answer, terms)
  }
}

class Found implements FoundAnswer {
  readonly #store: AnswerStore
  readonly answer = new AnswerPad()
  storedAtMs = 0
  extendedError: number = extendedError.none
  #place = 0
  #hash = 0
  #tag = 0

  constructor(store: AnswerStore) {
    this.#store = store
  }

  at(place: number, hash: number, tag: number): this {
    const store = this.#store
    store.readAnswer(place, this.answer)
    this.storedAtMs = store.storedAtMs(place)
    this.extendedError = store.extendedError(place)
    this.#place = place
    this.#hash = hash
    this.#tag = tag
    return this
  }

  questionToRefresh(nowMs: number): Question | undefined {
    const store = this.#store
    const place = this.#place
    if (store.uses(place) < popularUses || store.isBeingRefreshed(place)) return undefined
    const expiresAtMs = store.expiresAtMs(place)
    const lifetimeMs = expiresAtMs - this.storedAtMs
    if (lifetimeMs < shortestRefreshedMs || expiresAtMs - nowMs > lifetimeMs * refreshShare) return undefined
    store.noteRefresh(place)
    return questionOfTag(store.name(place), this.#hash, this.#tag)
  }

  detach(): KeptAnswer {
    const { storedAtMs, extendedError: error } = this
    return { answer: this.answer.detach(), storedAtMs, extendedError: error }
  }
}

function tagOf(question: Question): number {
  return questionTag(question.type, question.dnssecOk, question.checkingDisabled)
}

function withTtl(answer: Answer, ttlSeconds: number): Answer {
  const body = answer.body.slice()
  for (const offset of answer.ttlOffsets) writeUint32(body, offset, ttlSeconds)
  return { ...answer, body }
}
