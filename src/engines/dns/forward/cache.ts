import type { Answer } from '../codec/answer.ts'
import { writeUint32 } from '../codec/bytes.ts'
import { extendedError } from '../codec/numbers.ts'
import { type Question, questionTag } from '../codec/question.ts'
import { WireTable } from '../wire-table.ts'
import { AgeQueue, type Queued } from './age-queue.ts'

/** An answer that an upstream gave, with its age. */
export interface KeptAnswer {
  readonly answer: Answer
  readonly storedAtMs: number
  /** Said along with it (RFC 8914), or `extendedError.none`. */
  readonly extendedError: number
}

/** An answer in the cache. */
export class CacheEntry implements KeptAnswer, Queued<CacheEntry> {
  readonly question: Question
  readonly answer: Answer
  readonly extendedError: number
  readonly storedAtMs: number
  readonly expiresAtMs: number
  /** Until then it is better than nothing (RFC 8767). */
  readonly staleUntilMs: number
  older: CacheEntry | undefined = undefined
  newer: CacheEntry | undefined = undefined
  /** Since it was stored, or since it was spared from being evicted. */
  uses = 0
  #isBeingRefreshed = false

  constructor(question: Question, kept: KeptAnswer, expiresAtMs: number, staleUntilMs: number) {
    this.question = question
    this.answer = kept.answer
    this.extendedError = kept.extendedError
    this.storedAtMs = kept.storedAtMs
    this.expiresAtMs = expiresAtMs
    this.staleUntilMs = staleUntilMs
  }

  get tag(): number {
    return tagOf(this.question)
  }

  get byteCount(): number {
    const { body, ttlOffsets } = this.answer
    return entryOverheadBytes + this.question.name.length + body.length + ttlOffsets.length * 8
  }

  /** True once: it is popular and near its end, so it should be asked for again before anybody has to wait for it. */
  isDueForRefresh(nowMs: number): boolean {
    if (this.#isBeingRefreshed || this.uses < popularUses) return false
    const lifetimeMs = this.expiresAtMs - this.storedAtMs
    if (lifetimeMs < shortestRefreshedMs || this.expiresAtMs - nowMs > lifetimeMs * refreshShare) return false
    this.#isBeingRefreshed = true
    return true
  }
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
/** Objects and table slot of an entry, as measured: without it the bound would be on paper only. */
const entryOverheadBytes = 900
/** A bound on the work of one lookup, whatever names strangers choose. */
const longestChain = 16

/** Answers of upstreams, bounded in bytes. What was not used since it was last looked at goes first. */
export class AnswerCache {
  #table = new WireTable<CacheEntry>(longestChain)
  #queue = new AgeQueue<CacheEntry>()
  readonly #byteLimit: number
  byteCount = 0
  hits = 0
  misses = 0

  constructor(byteLimit: number) {
    this.#byteLimit = byteLimit
  }

  get size(): number {
    return this.#queue.size
  }

  /** A fresh answer for the first `length` bytes of `name`. */
  find(name: Uint8Array, length: number, hash: number, tag: number, nowMs: number): CacheEntry | undefined {
    const entry = this.#table.find(name, 0, length, hash, tag)
    if (entry === undefined || entry.expiresAtMs <= nowMs) {
      this.misses++
      return undefined
    }
    this.hits++
    entry.uses++
    return entry
  }

  keep(question: Question, answer: Answer, lifetimeSeconds: number, nowMs: number): KeptAnswer {
    const expiresAtMs = nowMs + lifetimeSeconds * 1000
    const kept = { answer, storedAtMs: nowMs, extendedError: extendedError.none }
    return lifetimeSeconds > 0 ? this.#store(question, kept, expiresAtMs, expiresAtMs + staleSeconds * 1000) : kept
  }

  /** No upstream has answered: the old answer if there is one that may still be told, else this failure. */
  keepFailure(question: Question, failure: Answer, error: number, nowMs: number): KeptAnswer {
    const tag = tagOf(question)
    const old = this.#table.find(question.name, 0, question.name.length, question.hash, tag)
    // It was asked for again before its end, in vain: it has not ended yet.
    if (old !== undefined && old.expiresAtMs > nowMs) return old
    if (old !== undefined && old.staleUntilMs > nowMs) {
      const stale = {
        answer: withTtl(old.answer, staleTtlSeconds),
        storedAtMs: nowMs,
        extendedError: extendedError.staleAnswer,
      }
      this.#store(question, stale, nowMs + staleRecheckSeconds * 1000, old.staleUntilMs)
      return stale
    }
    const failed = { answer: failure, storedAtMs: nowMs, extendedError: error }
    this.#store(question, failed, nowMs + failureSeconds * 1000, nowMs)
    return failed
  }

  clear(): void {
    this.#table = new WireTable<CacheEntry>(longestChain)
    this.#queue = new AgeQueue<CacheEntry>()
    this.byteCount = 0
  }

  #store(question: Question, kept: KeptAnswer, expiresAtMs: number, staleUntilMs: number): CacheEntry {
    const tag = tagOf(question)
    const entry = new CacheEntry(question, kept, expiresAtMs, staleUntilMs)
    const old = this.#table.find(question.name, 0, question.name.length, question.hash, tag)
    if (old !== undefined) this.#forget(old)
    if (!this.#table.set(question.name, question.hash, tag, entry)) return entry
    this.#queue.add(entry)
    this.byteCount += entry.byteCount
    while (this.byteCount > this.#byteLimit) this.#evictOne()
    return entry
  }

  /** Second chance: an entry that was used since its last turn goes to the back once more. */
  #evictOne(): void {
    let entry = this.#queue.oldest
    while (entry !== undefined && entry.uses > 0) {
      entry.uses = 0
      this.#queue.remove(entry)
      this.#queue.add(entry)
      entry = this.#queue.oldest
    }
    if (entry !== undefined) this.#forget(entry)
  }

  #forget(entry: CacheEntry): void {
    this.#table.delete(entry.question.name, entry.question.hash, entry.tag)
    this.#queue.remove(entry)
    this.byteCount -= entry.byteCount
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
