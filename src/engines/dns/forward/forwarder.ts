import type { Logger } from '../../../runtime/observe/log.ts'
import { serverFailure } from '../codec/answer.ts'
import { extendedError } from '../codec/numbers.ts'
import { type Question, questionTag } from '../codec/question.ts'
import { WireTable } from '../wire-table.ts'
import type { AnswerCache, KeptAnswer } from './cache.ts'
import { Hedges } from './hedges.ts'
import { judgeReply, type Way } from './judge.ts'
import type { RandomNumbers } from './random.ts'
import { Timeouts, type Wait } from './timeouts.ts'
import type { ExchangeResult } from './udp-exchange.ts'
import type { Upstream } from './upstream.ts'
import type { UpstreamAddress } from './upstream-address.ts'
import { UpstreamSet } from './upstream-set.ts'

export interface ForwarderOptions {
  readonly cache: AnswerCache
  readonly random: RandomNumbers
  readonly now: () => number
  readonly log: Logger
  readonly observeSeconds: (seconds: number) => void
  /** How long one upstream is waited for before the next is asked as well. */
  readonly retryAfterMs: number
  /** PEM certificates of those who vouch for upstreams over TLS. */
  readonly authorities: () => readonly string[]
}

/** Four queries, 800 ms apart (hedges aside): a client's own first timeout is usually 5 s. */
const triesPerQuestion = 4
const longestChain = 64
const maxQuestionsInFlight = 4096
const maxWaitersPerQuestion = 256

const nothingToCancel = (): void => {}

/** One question on its way, and everybody who waits for its answer. */
interface Job {
  readonly question: Question
  readonly startedAtMs: number
  readonly waiters: ((kept: KeptAnswer) => void)[]
  readonly attempts: Attempt[]
  /** Upstreams that have said no. */
  refusals: number
  done: boolean
}

interface Attempt {
  readonly job: Job
  readonly upstream: Upstream
  /** Sent along because another one took unusually long. */
  readonly isHedge: boolean
  readonly sentAtMs: number
  /** It said no, or it had its time. (A late answer is still taken while the job goes on.) */
  isOver: boolean
  /** It said something, if only nonsense. */
  gotReply: boolean
  timeout: Wait<Attempt> | undefined
  hedge: Wait<Attempt> | undefined
  cancel: () => void
}

/**
 * Finds answers for names that are not ours: asks the first healthy upstream, after a while the next one too, and
 * takes the first good answer. Equal questions share one query. Whatever happens, every question gets an answer.
 */
export class Forwarder {
  readonly #options: ForwarderOptions
  readonly #upstreams: UpstreamSet
  readonly #inFlight = new WireTable<Job>(longestChain)
  readonly #timeouts: Timeouts<Attempt>
  readonly #hedges: Hedges<Attempt>
  #inFlightCount = 0
  #longestTtlSeconds = 0
  overloads = 0

  constructor(options: ForwarderOptions) {
    this.#options = options
    this.#upstreams = new UpstreamSet(options)
    this.#timeouts = new Timeouts(options.retryAfterMs, (attempt) => this.#timedOut(attempt))
    const isWanted = ({ job, isOver }: Attempt) => !job.done && !isOver
    this.#hedges = new Hedges(isWanted, ({ job }) => this.#attempt(job, true))
  }

  /** Upstreams that stay keep their health and their sockets; the cache stays unless nothing may be kept any more. */
  configure(addresses: readonly UpstreamAddress[], longestTtlSeconds: number): void {
    this.#upstreams.replace(addresses)
    this.#longestTtlSeconds = longestTtlSeconds
    if (longestTtlSeconds === 0) this.#options.cache.clear()
  }

  get upstreams(): readonly Upstream[] {
    return this.#upstreams.all
  }

  get inFlightCount(): number {
    return this.#inFlightCount
  }

  /** `done` is called exactly once, now or within a few seconds. */
  ask(question: Question, done: (kept: KeptAnswer) => void): void {
    const job = this.#inFlight.find(question.name, 0, question.name.length, question.hash, tagOf(question))
    const isFull = job ? job.waiters.length >= maxWaitersPerQuestion : this.#inFlightCount >= maxQuestionsInFlight
    if (isFull) this.overloads++
    if (isFull || this.#upstreams.isLoopProbe(question)) done(this.#refusal())
    else if (job) job.waiters.push(done)
    else this.#start(question, done)
  }

  #start(question: Question, done: (kept: KeptAnswer) => void): void {
    const startedAtMs = this.#options.now()
    const job: Job = { question, startedAtMs, waiters: [done], attempts: [], refusals: 0, done: false }
    this.#inFlight.set(question.name, question.hash, tagOf(question), job)
    this.#inFlightCount++
    this.#attempt(job)
  }

  stop(): void {
    this.#timeouts.stop()
    this.#hedges.stop()
    this.#upstreams.close()
  }

  #attempt(job: Job, isHedge = false): void {
    const upstream = this.#upstreams.choose(job.attempts.length)
    if (upstream === undefined) {
      this.#fail(job)
      return
    }
    const sentAtMs = performance.now()
    const attempt: Attempt = {
      job,
      upstream,
      isHedge,
      sentAtMs,
      isOver: false,
      gotReply: false,
      timeout: undefined,
      hedge: undefined,
      cancel: nothingToCancel,
    }
    job.attempts.push(attempt)
    attempt.timeout = this.#timeouts.add(attempt)
    const { usualMs } = upstream.roundTrip
    if (job.attempts.length === 1) attempt.hedge = this.#hedges.add(attempt, usualMs, this.#options.retryAfterMs)
    attempt.cancel = upstream.ask(job.question, (result, way) => this.#receive(attempt, result, way))
  }

  #timedOut(attempt: Attempt): void {
    const { job, upstream } = attempt
    if (job.done || attempt.isOver) return
    attempt.isOver = true
    upstream.failed('timeout')
    this.#goOn(job, !attempt.isHedge)
  }

  #receive(attempt: Attempt, result: ExchangeResult, way: Way): void {
    const { job, upstream } = attempt
    if (job.done) return
    const judgement = judgeReply(result, job.question, way, this.#longestTtlSeconds)
    if (typeof result !== 'string') {
      if (!attempt.gotReply) upstream.roundTrip.add(performance.now() - attempt.sentAtMs)
      attempt.gotReply = true
      upstream.replied()
    }
    if (judgement.type === 'answer') {
      const { answer, lifetimeSeconds } = judgement.response
      if (way === 'udp-without-edns') upstream.answeredWithoutEdns()
      this.#finish(job, this.#options.cache.keep(job.question, answer, lifetimeSeconds, this.#options.now()))
    } else if (judgement.type === 'ask-over-tcp') {
      attempt.cancel = upstream.askOverTcp(job.question, (reply) => this.#receive(attempt, reply, 'stream'))
    } else if (judgement.type === 'ask-without-edns') {
      const received = (reply: ExchangeResult) => this.#receive(attempt, reply, 'udp-without-edns')
      attempt.cancel = upstream.askWithoutEdns(job.question, received)
    } else {
      upstream.failed(judgement.error)
      this.#refused(attempt)
    }
  }

  /** This upstream will not answer; the next one is asked at once, each of them one time. */
  #refused(attempt: Attempt): void {
    const { job } = attempt
    attempt.isOver = true
    job.refusals++
    this.#goOn(job, job.refusals < this.#upstreams.usableCount)
  }

  #goOn(job: Job, mayAskAgain: boolean): void {
    const tries = job.attempts.filter((attempt) => !attempt.isHedge).length
    if (mayAskAgain && tries < triesPerQuestion) this.#attempt(job)
    else if (job.attempts.every((attempt) => attempt.isOver)) this.#fail(job)
  }

  #fail(job: Job): void {
    const { cache, now } = this.#options
    const gotReply = job.attempts.some((attempt) => attempt.gotReply)
    const error = gotReply ? extendedError.none : extendedError.networkError
    this.#finish(job, cache.keepFailure(job.question, serverFailure, error, now()))
  }

  #finish(job: Job, kept: KeptAnswer): void {
    const { question } = job
    job.done = true
    this.#inFlight.delete(question.name, question.hash, tagOf(question))
    this.#inFlightCount--
    this.#options.observeSeconds((this.#options.now() - job.startedAtMs) / 1000)
    for (const attempt of job.attempts) {
      attempt.cancel()
      if (attempt.timeout) attempt.timeout.item = undefined
      if (attempt.hedge) attempt.hedge.item = undefined
    }
    for (const waiter of job.waiters) waiter(kept)
  }

  #refusal(): KeptAnswer {
    return { answer: serverFailure, storedAtMs: this.#options.now(), extendedError: extendedError.none }
  }
}

function tagOf(question: Question): number {
  return questionTag(question.type, question.dnssecOk, question.checkingDisabled)
}
