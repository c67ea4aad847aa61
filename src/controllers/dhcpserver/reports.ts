import { isMapping } from '../../api/shape.ts'
import { dhcpTroubles } from '../../core/status/dhcp.ts'
import { reportedTroubles } from '../../core/status/engine.ts'
import type { OwnObject } from '../shared/kinds.ts'
import type { Operator } from '../shared/operator.ts'

/** Older ones were told by the manager before this one. */
const newsForMs = 5 * 60_000

/**
 * Tells as events what a DHCP engine has written into its status: whom it refused, and what it found wrong. An engine
 * itself may make no events.
 */
export class DhcpReports {
  readonly #operator: Pick<Operator, 'events' | 'clock'>
  /** What was told of each object, with the time the engine gave it. */
  readonly #told = new Map<string, ReadonlyMap<string, string>>()

  constructor(operator: Pick<Operator, 'events' | 'clock'>) {
    this.#operator = operator
  }

  tell(live: OwnObject): void {
    const { events, clock } = this.#operator
    const { uid = '' } = live.metadata
    const told = this.#told.get(uid)
    const reports = reportsOf(live)
    this.#told.set(uid, new Map(reports.map(({ key, at }) => [key, at])))
    for (const { key, at, reason, note } of reports) {
      const isOld = told === undefined && clock.now() - Date.parse(at) > newsForMs
      if (isOld || told?.get(key) === at) continue
      events.record({ regarding: live, type: 'Warning', reason, action: 'Serve', note })
    }
  }

  forget({ metadata: { uid = '' } }: OwnObject): void {
    this.#told.delete(uid)
  }
}

interface Report {
  readonly key: string
  readonly at: string
  readonly reason: string
  readonly note: string
}

function reportsOf({ status }: OwnObject): Report[] {
  const troubles = reportedTroubles(status?.conditions, dhcpTroubles).map(({ type, message }) => {
    const since = status?.conditions?.find((condition) => condition.type === type)?.lastTransitionTime ?? ''
    return { key: type, at: since, reason: type, note: message }
  })
  return [...troubles, ...refusalsIn(status?.refusals)]
}

function refusalsIn(refusals: unknown): Report[] {
  return (Array.isArray(refusals) ? refusals : []).flatMap((refusal: unknown) => {
    if (!isMapping(refusal)) return []
    const { mac, reason, last } = refusal
    if (typeof mac !== 'string' || typeof reason !== 'string' || typeof last !== 'string') return []
    // Without the count: then what happens again is counted in the same event.
    return [{ key: `${reason} ${mac}`, at: last, reason, note: `the client ${mac} got no address (${reason})` }]
  })
}
