import { Turns } from '../../runtime/time/turns.ts'
import type { OnLabEvent } from '../events.ts'
import type { LabPlan } from '../plan.ts'
import { type Fault, type FaultName, faultNames } from './fault.ts'
import { type Look, type LookSettings, look, lookUntil } from './look.ts'
import { Refusal } from './refusal.ts'

/** What `oooi lab break` and `heal` get back. */
export interface FaultDocument {
  readonly fault: FaultName
  /** Of which machine, where it is one's. */
  readonly vm?: string
  readonly does: string
  readonly survives: string
  readonly heals: string
}

export interface BreakDocument extends FaultDocument {
  readonly look: Look
}

export interface HealDocument {
  readonly healed: readonly FaultDocument[]
  readonly seconds: number
  readonly look: Look
}

export interface ControlSettings extends Omit<LookSettings, 'broken'> {
  /** For `vm` with the machine that is meant. */
  readonly faults: (vm: string) => Record<FaultName, Fault>
  readonly onEvent: OnLabEvent
}

/** How long a fault may take to show in what oooi says of itself; Envoy tries a silent backend for half a minute. */
const noticedWithinMs = 40_000
/** DNS tries the way to each name once a minute, and says it is broken until it has seen otherwise. */
const healedWithinMs = 100_000

/** Breaks things in a running lab and mends them again; one order at a time. */
export class LabControl {
  readonly #settings: ControlSettings
  readonly #look: LookSettings
  readonly #broken = new Map<string, { readonly document: FaultDocument; readonly fault: Fault }>()
  readonly #turns = new Turns()

  constructor(settings: ControlSettings) {
    this.#settings = settings
    this.#look = { ...settings, broken: () => this.broken }
  }

  get broken(): readonly string[] {
    return [...this.#broken.keys()]
  }

  break(name: string, vm: string | undefined): Promise<BreakDocument> {
    return this.inTurn(async () => {
      const { plan, faults, onEvent } = this.#settings
      if (!isFaultName(name)) throw new Refusal(`there is no fault ${name}: it is one of ${faultNames.join(', ')}`)
      const target = name === 'vm' || name === 'pxe' ? targetOf(plan, name, vm) : ''
      const key = [name, target].join(' ').trim()
      if (this.#broken.has(key)) throw new Refusal(`${key} is broken already: \`oooi lab heal\` mends it`)
      const fault = faults(target)[name]
      await fault.inflict()
      const document = describe(name, target, fault)
      this.#broken.set(key, { document, fault })
      onEvent({ type: 'note', text: `broken: ${key}; ${fault.does}` })
      // A machine that is off, or has nothing to boot, is nothing that oooi could notice.
      const noticed = (seen: Look): boolean => target !== '' || seen.status.troubled
      return { ...document, look: await lookUntil(this.#look, noticed, noticedWithinMs) }
    })
  }

  /** Mends all that is broken, machines last, because they boot through the rest; waits until everything works again. */
  heal(): Promise<HealDocument> {
    return this.inTurn(async () => {
      const startedMs = performance.now()
      const healed: FaultDocument[] = []
      const rank = ({ document }: { document: FaultDocument }): number => (document.vm === undefined ? 0 : 1)
      const inOrder = [...this.#broken].toSorted(([, a], [, b]) => rank(a) - rank(b))
      for (const [key, { document, fault }] of inOrder) {
        await fault.mend()
        this.#broken.delete(key)
        this.#settings.onEvent({ type: 'note', text: `mended: ${key}` })
        healed.push(document)
      }
      const seen = await lookUntil(this.#look, (now) => now.ok && !now.status.troubled, healedWithinMs)
      return { healed, seconds: Math.round((performance.now() - startedMs) / 100) / 10, look: seen }
    })
  }

  look(): Promise<Look> {
    return this.inTurn(() => look(this.#look))
  }

  /** What works with machines must not overlap with breaking and mending them. */
  inTurn<Value>(task: () => Promise<Value>): Promise<Value> {
    return this.#turns.take(task)
  }
}

/** The machine that is meant: the named one, or the first that can have this fault. */
function targetOf({ vms }: LabPlan, fault: 'vm' | 'pxe', wanted: string | undefined): string {
  const candidates = vms.filter(({ client }) => fault === 'vm' || client === 'pxe').map(({ name }) => name)
  const target = wanted ?? candidates[0]
  if (target === undefined) {
    throw new Refusal('no VM of this lab boots from the network: `oooi lab --pxe-vms 1` has one')
  }
  if (candidates.includes(target)) return target
  const those = fault === 'vm' ? 'the lab has no VM' : 'there is no VM that boots from the network and is called'
  throw new Refusal(`${those} ${target}: there is ${candidates.join(', ') || 'none at all'}`)
}

function describe(fault: FaultName, vm: string, { does, survives, heals }: Fault): FaultDocument {
  return { fault, ...(vm === '' ? {} : { vm }), does, survives, heals }
}

function isFaultName(text: string): text is FaultName {
  return faultNames.some((name) => name === text)
}
