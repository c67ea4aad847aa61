import { responseCode } from '../codec/numbers.ts'
import type { Question } from '../codec/question.ts'
import { readResponse, type UpstreamResponse } from '../codec/response.ts'
import type { ExchangeResult } from './udp-exchange.ts'

/** What an upstream's reply is good for. */
export type Judgement =
  | { readonly type: 'answer'; readonly response: UpstreamResponse }
  | { readonly type: 'ask-over-tcp' }
  | { readonly type: 'failure'; readonly error: 'unreachable' | 'malformed' | 'refused' }

/** Only "here it is" and "there is none" are answers; everything else is a reason to ask somebody else. */
export function judgeReply(
  result: ExchangeResult,
  question: Question,
  via: 'udp' | 'tcp',
  longestTtlSeconds: number,
): Judgement {
  if (result === 'unreachable') return { type: 'failure', error: 'unreachable' }
  const response = readResponse(result, question, longestTtlSeconds)
  if (response === undefined) return { type: 'failure', error: 'malformed' }
  if (response.truncated) return via === 'udp' ? { type: 'ask-over-tcp' } : { type: 'failure', error: 'malformed' }
  const code = response.answer.responseCode
  const isAnswer = code === responseCode.NOERROR || code === responseCode.NXDOMAIN
  return isAnswer ? { type: 'answer', response } : { type: 'failure', error: 'refused' }
}
