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

interface Entry extends KeptAnswer, Queued<Entry> {
  readonly question: Question
  readonly tag: number
  readonly expiresAtMs: number
  /** Until then it is better than nothing (RFC 8767). */
  readonly staleUntilMs: number
  readonly byteCount: number
  wasUsed: boolean
}

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
  #table = new WireTable<Entry>(longestChain)
  #queue = new AgeQueue<Entry>()
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
  find(name: Uint8Array, length: number, hash: number, tag: number, nowMs: number): KeptAnswer | undefined {
    const entry = this.#table.find(name, 0, length, hash, tag)
    if (entry === undefined || entry.expiresAtMs <= nowMs) {
      this.misses++
      return undefined
    }
    this.hits++
    entry.wasUsed = true
    return entry
  }

  keep(question: Question, answer: Answer, lifetimeSeconds: number, nowMs: number): KeptAnswer {
    const expiresAtMs = nowMs + lifetimeSeconds * 1000
    const kept = { answer, storedAtMs: nowMs, extendedError: extendedError.none }
    if (lifetimeSeconds > 0) this.#store(question, kept, expiresAtMs, expiresAtMs + staleSeconds * 1000)
    return kept
  }

  /** No upstream has answered: the old answer if there is one that may still be told, else this failure. */
  keepFailure(question: Question, failure: Answer, error: number, nowMs: number): KeptAnswer {
    const tag = tagOf(question)
    const old = this.#table.find(question.name, 0, question.name.length, question.hash, tag)
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
    this.#table = new WireTable<Entry>(longestChain)
    this.#queue = new AgeQueue<Entry>()
    this.byteCount = 0
  }

  #store(question: Question, kept: KeptAnswer, expiresAtMs: number, staleUntilMs: number): void {
    const tag = tagOf(question)
    const byteCount =
      entryOverheadBytes + question.name.length + kept.answer.body.length + kept.answer.ttlOffsets.length * 8
    const entry: Entry = {
      ...kept,
      question,
      tag,
      expiresAtMs,
      staleUntilMs,
      byteCount,
      wasUsed: false,
      older: undefined,
      newer: undefined,
    }
    const old = this.#table.find(question.name, 0, question.name.length, question.hash, tag)
    if (old !== undefined) this.#forget(old)
    if (!this.#table.set(question.name, question.hash, tag, entry)) return
    this.#queue.add(entry)
    this.byteCount += byteCount
    while (this.byteCount > this.#byteLimit) this.#evictOne()
  }

  /** Second chance: an entry that was used since its last turn goes to the back once more. */
  #evictOne(): void {
    let entry = this.#queue.oldest
    while (entry?.wasUsed) {
      entry.wasUsed = false
      this.#queue.remove(entry)
      this.#queue.add(entry)
      entry = this.#queue.oldest
    }
    if (entry !== undefined) this.#forget(entry)
  }

  #forget(entry: Entry): void {
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
