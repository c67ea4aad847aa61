import { type Answer, anyOfOthers, badVersion, formatError, noData, notImplemented, refused } from '../codec/answer.ts'
import { sliceBytes } from '../codec/bytes.ts'
import { classInternet, extendedError, headerFlag, recordType } from '../codec/numbers.ts'
import { Query, type ReplyTo, type Transport } from '../codec/query.ts'
import { type Question, questionTag } from '../codec/question.ts'
import { writeReply } from '../codec/reply.ts'
import type { AnswerCache, KeptAnswer } from '../forward/cache.ts'
import type { NameSet } from '../zone/name-set.ts'
import type { NameTree } from '../zone/name-tree.ts'
import type { ViewName } from '../zone/records.ts'
import type { QueryCounters } from './counters.ts'

/** What one side of the horizon sees. */
export interface ServedView {
  readonly names: NameTree
  /** Are names that are not ours looked up elsewhere? */
  readonly forwards: boolean
  /** Domains that are never looked up elsewhere for this side. */
  readonly withheld: NameSet
}

export type ServedViews = Readonly<Record<ViewName, ServedView>>

export interface ResponderOptions {
  readonly seed: number
  readonly cache: AnswerCache
  readonly counters: QueryCounters
  readonly now: () => number
  readonly ask: (question: Question, done: (kept: KeptAnswer) => void) => void
}

/** A reply that could not be written at once; `write` puts it at `at` and returns its length. */
export type WriteReply = (out: Uint8Array, at: number) => number

/** What `respond` returns besides the length of a reply. */
export const noReply = 0
export const replyLater = -1

/**
 * From the bytes of a query to the bytes of its reply. Names of ours and cached answers are replied to within the
 * call and without allocation; for all others `respond` returns `replyLater`, and `later` has the reply when it comes.
 */
export class Responder {
  readonly #options: ResponderOptions
  readonly #query: Query
  #views: ServedViews | undefined

  constructor(options: ResponderOptions) {
    this.#options = options
    this.#query = new Query(options.seed)
  }

  /** Every query from now on sees these, none sees both. */
  serve(views: ServedViews): void {
    this.#views = views
  }

  respond(packet: Uint8Array, view: ViewName, transport: Transport, out: Uint8Array, at: number): number {
    const verdict = this.#query.parse(packet, transport)
    switch (verdict) {
      case 'answer':
        return this.#views === undefined ? noReply : this.#answer(view, this.#views[view], out, at)
      case 'formerr':
        return this.#reply(view, formatError, out, at)
      case 'notimp':
        return this.#reply(view, notImplemented, out, at)
      case 'badvers':
        return this.#reply(view, badVersion, out, at)
      case 'cookie-only':
        return this.#reply(view, noData, out, at)
      case 'drop-short':
        this.#options.counters.drop('short')
        return noReply
      case 'drop-response':
        this.#options.counters.drop('response')
        return noReply
    }
  }

  #answer(viewName: ViewName, view: ServedView, out: Uint8Array, at: number): number {
    const query = this.#query
    if (query.class !== classInternet) return this.#reply(viewName, refused, out, at)
    // Transfers, keys and the mail types that RFC 1035 already called obsolete.
    if (query.type >= recordType.TKEY && query.type <= recordType.MAILA) return this.#reply(viewName, refused, out, at)
    const own = view.names.lookup(query.name, query.type)
    return own === undefined ? this.#foreign(viewName, view, out, at) : this.#reply(viewName, own, out, at)
  }

  /** Somebody else's name. Without "recursion desired" it is a look into our cache, which is nobody's business. */
  #foreign(viewName: ViewName, view: ServedView, out: Uint8Array, at: number): number {
    const { cache, now } = this.#options
    const { name, type, flags, dnssecOk } = this.#query
    const wantsRecursion = (flags & headerFlag.recursionDesired) !== 0
    if (!view.forwards || !wantsRecursion)
      return this.#reply(viewName, refused, out, at, extendedError.notAuthoritative)
    if (view.withheld.covers(name)) return this.#reply(viewName, refused, out, at, extendedError.prohibited)
    if (type === recordType.ANY) return this.#reply(viewName, anyOfOthers, out, at)
    const nowMs = now()
    const tag = questionTag(type, dnssecOk, (flags & headerFlag.checkingDisabled) !== 0)
    const kept = cache.find(name.bytes, name.length, name.hash, tag, nowMs)
    if (kept === undefined) return replyLater
    return this.#reply(viewName, kept.answer, out, at, kept.extendedError, ageSeconds(kept, nowMs))
  }

  #reply(
    view: ViewName,
    answer: Answer,
    out: Uint8Array,
    at: number,
    error: number = extendedError.none,
    age = 0,
  ): number {
    this.#options.counters.reply(view, this.#query.type, answer.responseCode)
    return writeReply(out, at, this.#query, answer, this.#views?.[view].forwards ?? false, age, error)
  }

  /** To be called right after `respond` returned `replyLater`, before any other query comes. */
  later(view: ViewName, ready: (write: WriteReply) => void): void {
    const { ask, counters, now } = this.#options
    const { type } = this.#query
    const to = detach(this.#query)
    ask(questionOf(this.#query), (kept) => {
      counters.reply(view, type, kept.answer.responseCode)
      const forwards = this.#views?.[view].forwards ?? false
      ready((out, at) => writeReply(out, at, to, kept.answer, forwards, ageSeconds(kept, now()), kept.extendedError))
    })
  }
}

/** A copy that outlives the scratch pad and the buffer the query came in. */
function detach(query: Query): ReplyTo {
  const { questionEnd, hasEdns, dnssecOk, limit } = query
  return { packet: sliceBytes(query.packet, 0, questionEnd), questionEnd, hasEdns, dnssecOk, limit }
}

function questionOf({ name, type, dnssecOk, flags }: Query): Question {
  const checkingDisabled = (flags & headerFlag.checkingDisabled) !== 0
  return { name: sliceBytes(name.bytes, 0, name.length), hash: name.hash, type, dnssecOk, checkingDisabled }
}

function ageSeconds(kept: KeptAnswer, nowMs: number): number {
  return Math.max(Math.floor((nowMs - kept.storedAtMs) / 1000), 0)
}
