import type { OnLabEvent } from '../events.ts'
import type { LabPlan } from '../plan.ts'
import { type Fault, type FaultName, faultNames } from './fault.ts'
import { type Look, type LookSettings, look, lookUntil } from './look.ts'
import { Refusal } from './refusal.ts'

/** What `oooi lab break` and `heal` get back. */
export interface FaultDocument {
  readonly fault: FaultName
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

export interface ControlSettings extends LookSettings {
  /** For `vm` with the machine that is meant. */
  readonly faults: (vm: string) => Record<FaultName, Fault>
  readonly onEvent: OnLabEvent
}

/** How long a fault may take to show in what oooi says of itself; Envoy tries a silent backend for half a minute. */
const noticedWithinMs = 40_000
const healedWithinMs = 60_000

/** Breaks things in a running lab and mends them again; one order at a time. */
export class LabControl {
  readonly #settings: ControlSettings
  readonly #broken = new Map<string, { readonly name: FaultName; readonly fault: Fault }>()
  #work: Promise<unknown> = Promise.resolve()

  constructor(settings: ControlSettings) {
    this.#settings = settings
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
      this.#broken.set(key, { name, fault })
      onEvent({ type: 'note', text: `broken: ${key}; ${fault.does}` })
      // A machine that is off, or has nothing to boot, is nothing that oooi could notice.
      const noticed = (seen: Look): boolean => target !== '' || seen.status.troubled
      return { ...describe(name, fault), look: await lookUntil(this.#settings, noticed, noticedWithinMs) }
    })
  }

  /** Mends all that is broken, last first, and waits until everything works again. */
  heal(): Promise<HealDocument> {
    return this.inTurn(async () => {
      const startedMs = performance.now()
      const healed: FaultDocument[] = []
      for (const [key, { name, fault }] of [...this.#broken].reverse()) {
        await fault.mend()
        this.#broken.delete(key)
        this.#settings.onEvent({ type: 'note', text: `mended: ${key}` })
        healed.push(describe(name, fault))
      }
      const seen = await lookUntil(this.#settings, (now) => now.ok && !now.status.troubled, healedWithinMs)
      return { healed, seconds: Math.round((performance.now() - startedMs) / 100) / 10, look: seen }
    })
  }

  look(): Promise<Look> {
    return this.inTurn(() => look(this.#settings))
  }

  /** What works with machines must not overlap with breaking and mending them. */
  inTurn<Value>(task: () => Promise<Value>): Promise<Value> {
    const turn = this.#work.then(task)
    this.#work = turn.catch(() => undefined)
    return turn
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

function describe(fault: FaultName, { does, survives, heals }: Fault): FaultDocument {
  return { fault, does, survives, heals }
}

function isFaultName(text: string): text is FaultName {
  return faultNames.some((name) => name === text)
}
