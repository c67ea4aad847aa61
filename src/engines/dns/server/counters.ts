import type { Sample } from '../../../runtime/observe/metrics.ts'
import { recordType, responseCode } from '../codec/numbers.ts'
import type { ViewName } from '../zone/records.ts'

export const dropReasons = [
  'short',
  'response',
  'port-zero',
  'send-queue-full',
  'connections-full',
  'stopping',
  'rate-limited',
] as const
export type DropReason = (typeof dropReasons)[number]

const views: readonly ViewName[] = ['vlan', 'pod']
/** Other types share one label: a client must not be able to make a time series per number. */
const typeNames = [
  'other',
  'A',
  'NS',
  'CNAME',
  'SOA',
  'PTR',
  'MX',
  'TXT',
  'AAAA',
  'SRV',
  'SVCB',
  'HTTPS',
  'ANY',
] as const
const codeNames = ['other', ...Object.keys(responseCode)]

const typeIndex = new Uint8Array(256)
for (const [index, name] of typeNames.entries()) if (name !== 'other') typeIndex[recordType[name]] = index
const codeIndex = new Uint8Array(32)
for (const [index, [, code]] of Object.entries(responseCode).entries()) codeIndex[code] = index + 1

/** Counts replies and drops with one addition each; labels are made when somebody asks. */
export class QueryCounters {
  readonly #replies = new Float64Array(views.length * typeNames.length * codeNames.length)
  readonly #drops = new Map<DropReason, number>(dropReasons.map((reason) => [reason, 0]))

  reply(view: ViewName, type: number, code: number): void {
    const viewPart = view === 'vlan' ? 0 : 1
    const index = (viewPart * typeNames.length + (typeIndex[type] ?? 0)) * codeNames.length + (codeIndex[code] ?? 0)
    this.#replies[index] = (this.#replies[index] ?? 0) + 1
  }

  drop(reason: DropReason): void {
    this.#drops.set(reason, (this.#drops.get(reason) ?? 0) + 1)
  }

  get replyCount(): number {
    return this.#replies.reduce((sum, count) => sum + count, 0)
  }

  replySamples(): Sample[] {
    return [...this.#replies.entries()]
      .filter(([, value]) => value > 0)
      .map(([index, value]) => {
        const code = codeNames[index % codeNames.length] ?? 'other'
        const type = typeNames[Math.floor(index / codeNames.length) % typeNames.length] ?? 'other'
        const view = views[Math.floor(index / codeNames.length / typeNames.length)] ?? 'vlan'
        return { labels: { view, type, rcode: code }, value }
      })
  }

  dropSamples(): Sample[] {
    return [...this.#drops].map(([reason, value]) => ({ labels: { reason }, value }))
  }
}
