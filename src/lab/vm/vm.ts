import { setTimeout as sleep } from 'node:timers/promises'
import { firstChildOf, type ProcessPlan, type RunningProcess, startProcess } from '../host/process.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { VmPlan } from '../plan.ts'
import { firmwareFailure, firmwareProgress, plainLine } from './firmware.ts'
import { bootSteps, bootStepsOf, firmwareStep, parseConsoleLine, type Step } from './steps.ts'

/** Who hears what a machine tells on its console. */
export interface VmListener {
  onStep?(step: Step): void
  /** What its firmware says while there is no kernel yet. */
  onFirmware?(text: string): void
}

/** A running machine, seen through its console: the same for a namespace and for QEMU. */
export class Vm {
  readonly plan: VmPlan
  readonly #process: RunningProcess
  readonly #listener: VmListener
  readonly #steps = new Map<string, Step>()
  readonly #awaited = new Map<string, (step: Step) => void>()
  readonly #booted = Promise.withResolvers<void>()
  readonly #poweredOnMs = performance.now()
  #isUp = false

  private constructor(ledger: Ledger, plan: VmPlan, process: Omit<ProcessPlan, 'onLine'>, listener: VmListener) {
    this.plan = plan
    this.#listener = listener
    this.#process = startProcess(ledger, { ...process, onLine: (line) => this.#read(line) })
  }

  static start(ledger: Ledger, plan: VmPlan, process: Omit<ProcessPlan, 'onLine'>, listener: VmListener): Vm {
    return new Vm(ledger, plan, process, listener)
  }

  /** Waits until the machine has tried all its steps. One that dies or takes too long fails the steps it never came to. */
  async boot(timeoutMs: number): Promise<void> {
    const outcome = await this.#within(timeoutMs, this.#booted.promise)
    const failed = [firmwareStep, bootSteps[0]].find((name) => this.#steps.get(name)?.ok === false)
    const why = failed === undefined ? 'unknown step' : failed === firmwareStep ? 'nothing was booted' : 'no address'
    for (const name of bootStepsOf(this.plan)) {
      if (!this.#steps.has(name)) this.#finish({ name, ok: false, ms: 0, text: outcome ?? `not tried: ${why}` })
    }
  }

  /** Whether it has a kernel that does what it is told. */
  get isUp(): boolean {
    return this.#isUp
  }

  /** Lets the machine do one step again, or a new one. */
  repeat(name: string, timeoutMs: number): Promise<Step> {
    return this.#ask('step', name, timeoutMs)
  }

  /** Does one step with little patience: whether it works at this moment. */
  look(name: string, timeoutMs: number): Promise<Step> {
    return this.#ask('look', name, timeoutMs)
  }

  async #ask(word: 'step' | 'look', name: string, timeoutMs: number): Promise<Step> {
    const answer = Promise.withResolvers<Step>()
    this.#awaited.set(name, answer.resolve)
    const startedMs = performance.now()
    this.#process.write(`${word} ${name}`)
    const outcome = await this.#within(timeoutMs, answer.promise)
    if (outcome !== undefined) {
      this.#finish({ name, ok: false, ms: Math.round(performance.now() - startedMs), text: outcome })
    }
    return answer.promise
  }

  get steps(): readonly Step[] {
    return [...this.#steps.values()]
  }

  /** The last lines of the console that are not about a step. */
  get console(): readonly string[] {
    const lines = this.#process.tail().filter((line) => !parseConsoleLine(line))
    return lines.map((line) => plainLine(line).trimEnd()).filter((line) => line !== '')
  }

  /** The first process inside; undefined once it has ended, and of no use for a machine with a kernel of its own. */
  initPid(): number | undefined {
    return firstChildOf(this.#process.pid)
  }

  powerOff(): Promise<void> {
    return this.#process.stop()
  }

  /** Undefined when the promise is kept in time, else why it was not. */
  async #within(timeoutMs: number, promise: Promise<unknown>): Promise<string | undefined> {
    const timer = new AbortController()
    const tooLate = sleep(timeoutMs, `not reached within ${timeoutMs / 1000} s`, { signal: timer.signal })
    tooLate.catch(() => {})
    const dead = this.#process.ended.then((why) => `the machine ended (${why}): ${this.console.at(-1) ?? 'no output'}`)
    const outcome = await Promise.race([promise.then(() => undefined), tooLate, dead])
    timer.abort()
    return outcome
  }

  #read(line: string): void {
    const told = parseConsoleLine(line)
    if (told?.type === 'step') this.#finish(this.#timed(told.step))
    if (told?.type === 'booted') this.#isUp = true
    if (told?.type === 'booted' || this.#isFirmwareDone(line)) this.#booted.resolve()
  }

  /** A machine's own clock begins with its kernel; how long its firmware took is seen from outside. */
  #timed(step: Step): Step {
    return step.name === firmwareStep ? { ...step, ms: Math.round(performance.now() - this.#poweredOnMs) } : step
  }

  /** Without having booted anything. */
  #isFirmwareDone(line: string): boolean {
    if (this.plan.client !== 'pxe' || this.#steps.has(firmwareStep)) return false
    const progress = firmwareProgress(line)
    if (progress !== undefined) this.#listener.onFirmware?.(progress)
    const text = firmwareFailure(this.#process.tail())
    if (text !== undefined) this.#finish(this.#timed({ name: firmwareStep, ok: false, ms: 0, text }))
    return text !== undefined
  }

  #finish(step: Step): void {
    this.#steps.set(step.name, step)
    this.#listener.onStep?.(step)
    this.#awaited.get(step.name)?.(step)
    this.#awaited.delete(step.name)
  }
}
