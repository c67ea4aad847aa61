import { responseCode } from '../codec/numbers.ts'
import type { Question } from '../codec/question.ts'
import { readResponse, refusesEdns, type UpstreamResponse } from '../codec/response.ts'
import type { ExchangeResult } from './udp-exchange.ts'

/** What an upstream's reply is good for. */
export type Judgement =
  | { readonly type: 'answer'; readonly response: UpstreamResponse }
  | { readonly type: 'ask-over-tcp' }
  | { readonly type: 'ask-without-edns' }
  | { readonly type: 'failure'; readonly error: 'unreachable' | 'untrusted' | 'malformed' | 'refused' }

/** How the question was asked. */
export type Way = 'udp' | 'udp-without-edns' | 'stream'

/** Only "here it is" and "there is none" are answers; everything else is a reason to ask somebody else. */
export function judgeReply(result: ExchangeResult, question: Question, way: Way, longestTtlSeconds: number): Judgement {
  if (typeof result === 'string') return { type: 'failure', error: result }
  if (way === 'udp' && refusesEdns(result)) return { type: 'ask-without-edns' }
  const response = readResponse(result, question, longestTtlSeconds)
  if (response === undefined) return { type: 'failure', error: 'malformed' }
  if (response.truncated) return way === 'stream' ? { type: 'failure', error: 'malformed' } : { type: 'ask-over-tcp' }
  const code = response.answer.responseCode
  const isAnswer = code === responseCode.NOERROR || code === responseCode.NXDOMAIN
  return isAnswer ? { type: 'answer', response } : { type: 'failure', error: 'refused' }
}
