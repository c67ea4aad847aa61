import { type Answer, anyOfOthers, badVersion, formatError, noData, notImplemented, refused } from '../codec/answer.ts'
import { sliceBytes } from '../codec/bytes.ts'
import { cookieLength, type ServerCookies } from '../codec/cookie.ts'
import { classInternet, extendedError, headerFlag, headerLength, plainUdpLimit, recordType } from '../codec/numbers.ts'
import { Query, type ReplyTo, type Verdict } from '../codec/query.ts'
import { type Question, questionTag } from '../codec/question.ts'
import { writeReply } from '../codec/reply.ts'
import type { AnswerCache, KeptAnswer } from '../forward/cache.ts'
import type { NameSet } from '../zone/name-set.ts'
import type { NameTree } from '../zone/name-tree.ts'
import type { ViewName } from '../zone/records.ts'
import type { AskedNames } from './asked-names.ts'
import type { QueryCounters } from './counters.ts'
import type { QueryLog } from './query-log.ts'
import type { Allowance, ReplyRateLimit } from './rate-limit.ts'
import type { Sender } from './sender.ts'

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
  readonly cookies: ServerCookies
  readonly rateLimit: ReplyRateLimit
  readonly queryLog: QueryLog
  readonly askedNames: AskedNames
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
  readonly #cookie = new Uint8Array(cookieLength)
  #views: ServedViews | undefined

  constructor(options: ResponderOptions) {
    this.#options = options
    this.#query = new Query(options.seed)
  }

  /** Every query from now on sees these, none sees both. */
  serve(views: ServedViews): void {
    this.#views = views
  }

  respond(packet: Uint8Array, sender: Sender, out: Uint8Array, at: number): number {
    const query = this.#query
    const verdict = query.parse(packet, sender.transport)
    if (verdict === 'drop-short' || verdict === 'drop-response') {
      this.#options.counters.drop(verdict === 'drop-short' ? 'short' : 'response')
      return noReply
    }
    const isProven = query.cookieAt > 0 && this.#answerCookie(sender)
    if (sender.mayBeForged && !isProven) {
      const allowance = this.#allowanceOf(sender)
      if (allowance === 'drop') return noReply
      if (allowance === 'truncate') return this.#reply(sender, noData, out, at)
    }
    return this.#answer(verdict, sender, out, at)
  }

  /** True: the client has proved that it is where it seems to be. */
  #answerCookie({ addressBytes }: Sender): boolean {
    const { cookies, now } = this.#options
    const { packet, cookieAt, cookieLength: length } = this.#query
    this.#query.cookie = this.#cookie
    return cookies.answer(packet, cookieAt, length, addressBytes, Math.floor(now() / 1000), this.#cookie)
  }

  /** What may be sent to an address that somebody else may have written: little, and not too often. */
  #allowanceOf({ addressBytes }: Sender): Allowance {
    const { rateLimit, counters, now } = this.#options
    const allowance = rateLimit.take(addressBytes, now())
    if (allowance === 'drop') counters.drop('rate-limited')
    // With no room at all, a reply is its question and the bit that says "come over TCP".
    this.#query.limit = allowance === 'truncate' ? 0 : Math.min(this.#query.limit, plainUdpLimit)
    return allowance
  }

  #answer(verdict: Verdict, sender: Sender, out: Uint8Array, at: number): number {
    switch (verdict) {
      case 'answer':
        return this.#views === undefined ? noReply : this.#lookUp(sender, this.#views[sender.view], out, at)
      case 'notimp':
        return this.#reply(sender, notImplemented, out, at)
      case 'badvers':
        return this.#reply(sender, badVersion, out, at)
      case 'cookie-only':
        return this.#reply(sender, noData, out, at)
      default:
        return this.#reply(sender, formatError, out, at)
    }
  }

  #lookUp(sender: Sender, view: ServedView, out: Uint8Array, at: number): number {
    const query = this.#query
    if (query.class !== classInternet) return this.#reply(sender, refused, out, at)
    // Transfers, keys and the mail types that RFC 1035 already called obsolete.
    if (query.type >= recordType.TKEY && query.type <= recordType.MAILA) return this.#reply(sender, refused, out, at)
    const own = view.names.lookup(query.name, query.type)
    // Who may be somebody else is no machine of the VLAN, and not worth remembering.
    if (own !== undefined && sender.view === 'vlan' && !sender.mayBeForged)
      this.#options.askedNames.note(sender.address, query.name.hash)
    return own === undefined ? this.#foreign(sender, view, out, at) : this.#reply(sender, own, out, at)
  }

  /** Somebody else's name. Without "recursion desired" it is a look into our cache, which is nobody's business. */
  #foreign(sender: Sender, view: ServedView, out: Uint8Array, at: number): number {
    const { cache, now, ask } = this.#options
    const { name, type, flags, dnssecOk } = this.#query
    const wantsRecursion = (flags & headerFlag.recursionDesired) !== 0
    if (!view.forwards || !wantsRecursion) return this.#reply(sender, refused, out, at, extendedError.notAuthoritative)
    if (view.withheld.covers(name)) return this.#reply(sender, refused, out, at, extendedError.prohibited)
    if (type === recordType.ANY) return this.#reply(sender, anyOfOthers, out, at)
    const nowMs = now()
    const tag = questionTag(type, dnssecOk, (flags & headerFlag.checkingDisabled) !== 0)
    const kept = cache.find(name.bytes, name.length, name.hash, tag, nowMs)
    if (kept === undefined) return replyLater
    const length = this.#reply(sender, kept.answer, out, at, kept.extendedError, ageSeconds(kept, nowMs))
    const refresh = kept.questionToRefresh(nowMs)
    if (refresh !== undefined) ask(refresh, () => {})
    return length
  }

  #reply(
    sender: Sender,
    answer: Answer,
    out: Uint8Array,
    at: number,
    error: number = extendedError.none,
    age = 0,
  ): number {
    const { counters, queryLog } = this.#options
    const query = this.#query
    counters.reply(sender.view, query.type, answer.responseCode)
    if (queryLog.isOn) queryLog.note(sender, questionName(query), query.type, answer.responseCode)
    return writeReply(out, at, query, answer, this.#views?.[sender.view].forwards ?? false, age, error)
  }

  /** To be called right after `respond` returned `replyLater`, before any other query comes. */
  later(sender: Sender, ready: (write: WriteReply) => void): void {
    const { ask, counters, queryLog, now } = this.#options
    const { type } = this.#query
    const to = detach(this.#query)
    const startedAtMs = now()
    ask(questionOf(this.#query), (kept) => {
      const { responseCode } = kept.answer
      counters.reply(sender.view, type, responseCode)
      if (queryLog.isOn) queryLog.note(sender, questionName(to), type, responseCode, startedAtMs)
      const forwards = this.#views?.[sender.view].forwards ?? false
      ready((out, at) => writeReply(out, at, to, kept.answer, forwards, ageSeconds(kept, now()), kept.extendedError))
    })
  }
}

/** A copy that outlives the scratch pad and the buffer the query came in. */
function detach(query: Query): ReplyTo {
  const { questionEnd, hasEdns, dnssecOk, limit } = query
  const packet = sliceBytes(query.packet, 0, questionEnd)
  return { packet, questionEnd, hasEdns, dnssecOk, limit, cookie: query.cookie?.slice() }
}

/** The name as it was asked; nothing if there is no question that can be read. */
function questionName({ packet, questionEnd }: ReplyTo): Uint8Array {
  return packet.subarray(headerLength, Math.max(questionEnd - 4, headerLength))
}

function questionOf({ name, type, dnssecOk, flags }: Query): Question {
  const checkingDisabled = (flags & headerFlag.checkingDisabled) !== 0
  return { name: sliceBytes(name.bytes, 0, name.length), hash: name.hash, type, dnssecOk, checkingDisabled }
}

function ageSeconds(kept: KeptAnswer, nowMs: number): number {
  return Math.max(Math.floor((nowMs - kept.storedAtMs) / 1000), 0)
}
