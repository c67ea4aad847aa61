import type { Infra } from '../../api/infra.ts'
import { stages, traceBoots } from '../../core/trace/boots.ts'
import { type Stuck, stuckAfterMs, summarize } from '../../core/trace/summary.ts'
import { StatusApply } from '../../runtime/apply/status-apply.ts'
import { Controller } from '../../runtime/controller/controller.ts'
import { controllerKeys } from '../../runtime/controller/owner.ts'
import type { Reconcile } from '../../runtime/controller/reconcile.ts'
import { secondsTimestamp } from '../../runtime/time/timestamp.ts'
import { Coalesced } from '../shared/coalesced.ts'
import { infraKind, type OwnObject } from '../shared/kinds.ts'
import type { Operator } from '../shared/operator.ts'
import { sightsOf } from './sights.ts'

type Vms = NonNullable<NonNullable<Infra['status']>['vms']>
type StuckInStatus = NonNullable<Vms['stuck']>[number]

/** The part of an Infra's status that is written here, and nowhere else. */
const fieldManager = 'oooi-trace'
/** What a manager before this one has told. */
const newsForMs = stuckAfterMs + 2 * 60_000

/** How far the machines of each Infra came: into its status, and an event for each that goes no further. */
export function traceController(operator: Operator): Controller {
  const { caches, clock, log, events } = operator
  const statuses = new StatusApply(operator.writer.as(fieldManager))
  const told = new Map<string, ReadonlySet<string>>()
  registerTraceMetrics(operator)

  const reconcile: Reconcile = async (key, { signal }) => {
    const live = caches.infras.objects.get(key)
    if (!live || live.metadata.deletionTimestamp) return undefined
    const nowMs = clock.now()
    const { nextMs, ...summary } = summarize(traceBoots(sightsOf(operator, live)), stuckBefore(live), nowMs)
    // Most Infras have no machines yet when they are made: an empty report would be one more write for each.
    if (summary.known === 0 && vmsOf(live) === undefined) return undefined
    const vms = { ...summary, stuck: summary.stuck.map(toStatus) }
    const { apiVersion, kind } = infraKind
    const { name, namespace = '' } = live.metadata
    await statuses.apply(infraKind, { apiVersion, kind, metadata: { name, namespace }, status: { vms } }, live, signal)
    tell(live, summary.stuck, nowMs)
    return nextMs === undefined ? undefined : { requeueAfterMs: Math.max(1000, nextMs - nowMs) }
  }

  function tell(live: OwnObject, stuck: readonly Stuck[], nowMs: number): void {
    const { uid = '' } = live.metadata
    const known = told.get(uid)
    told.set(uid, new Set(stuck.map(({ name, stage }) => `${name} ${stage}`)))
    for (const { name, address, stage, sinceMs, hint } of stuck) {
      const isOld = known === undefined && nowMs - sinceMs > newsForMs
      if (isOld || known?.has(`${name} ${stage}`)) continue
      const note = `${name}${address === undefined ? '' : ` (${address})`} is at ${stage} and goes no further: ${hint}`
      events.record({ regarding: live, type: 'Warning', reason: 'MachineStuck', action: 'Boot', note })
    }
  }

  const controller = new Controller({ name: 'traces', reconcile, clock, log, workers: 2 })
  controller.watch(caches.infras)
  for (const cache of [caches.dhcpServers, caches.dnsServers, caches.proxyServers]) {
    controller.watch(cache, controllerKeys(infraKind))
  }
  const leaseChanges = new Coalesced(clock, (key) => controller.trigger(key))
  caches.leases.onChange(({ object: { metadata, spec } }) => {
    if (spec?.server.endsWith('-dhcp')) leaseChanges.ask(`${metadata.namespace}/${spec.server.replace(/-dhcp$/, '')}`)
  })
  caches.infras.onChange(({ type, object }) => {
    const { uid = '' } = object.metadata
    if (type !== 'deleted') return
    statuses.forget(uid)
    told.delete(uid)
  })
  return controller
}

/** What is in the statuses, for whoever scrapes the manager. */
function registerTraceMetrics({ metrics, caches }: Operator): void {
  metrics.gauge(
    {
      name: 'oooi_infra_vms',
      help: 'Virtual machines of an Infra that came at least so far; stuck: those that go no further.',
      labels: ['namespace', 'infra', 'state'],
    },
    () =>
      [...caches.infras.objects.list()].flatMap((live) => {
        const { name: infra, namespace = '' } = live.metadata
        const { known = 0, leased = 0, resolved = 0, connected = 0, stuck = [] } = vmsOf(live) ?? {}
        return Object.entries({ known, leased, resolved, connected, stuck: stuck.length }).map(([state, value]) => ({
          labels: { namespace, infra, state },
          value,
        }))
      }),
  )
}

function toStatus({ name, mac, address, stage, sinceMs, hint }: Stuck): StuckInStatus {
  return {
    name,
    ...(mac === undefined ? {} : { mac }),
    ...(address === undefined ? {} : { address }),
    stage,
    since: secondsTimestamp(sinceMs),
    hint,
  }
}

function stuckBefore(live: OwnObject): Pick<Stuck, 'name' | 'stage' | 'address' | 'sinceMs'>[] {
  return (vmsOf(live)?.stuck ?? []).flatMap(({ name, address, stage: text, since = '' }) => {
    const stage = stages.find((known) => known === text)
    const sinceMs = Date.parse(since)
    return stage === undefined || Number.isNaN(sinceMs) ? [] : [{ name, address, stage, sinceMs }]
  })
}

/** As this controller wrote it. */
function vmsOf({ status }: OwnObject): Vms | undefined {
  return status?.vms as Vms | undefined
}
