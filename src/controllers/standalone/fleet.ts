import type { AttachedInfra } from '../../core/plan/attached.ts'
import type { Problem } from '../../core/result.ts'
import type { Boot } from '../../core/trace/boots.ts'
import type { DirectoryEntry } from '../../runtime/source/directory.ts'
import { AttachedFiles } from './attached-files.ts'
import type { InfraFile, Warn } from './infrafile.ts'
import type { Released, Served } from './serve.ts'
import type { ComponentReport } from './slot.ts'
import type { Standalone } from './standalone.ts'

/** Says what is wrong, and with which Infra if that is known. */
type Tell = (problem: Problem, infra?: string) => void

interface Wrong {
  readonly problem: Problem
  readonly infra: string | undefined
}

interface Member {
  readonly name: string
  readonly standalone: Standalone
}

/**
 * Several Infras in one process, one file each, with the clusters attached to them. They know nothing of each other: a mistake in one file, or a port that
 * one of them cannot have, leaves the others as they are.
 */
export class Fleet implements Served<readonly DirectoryEntry<InfraFile>[]> {
  readonly #create: (name: string) => Standalone
  readonly #tell: Tell
  readonly #files: AttachedFiles
  readonly #members = new Map<string, Member>()
  /** What is wrong with files that have never been served. */
  #strangers: readonly Problem[] = []
  #told: ReadonlySet<string> = new Set()
  #isPartly = false
  #joined: { readonly files: unknown; readonly entries: readonly DirectoryEntry<AttachedInfra>[] } | undefined

  /** What is wrong with a single file or Infra is told once, when it begins. */
  constructor(create: (name: string) => Standalone, warn: Warn, tell: Tell, podAddresses: readonly string[]) {
    this.#create = create
    this.#tell = tell
    this.#files = new AttachedFiles(warn, podAddresses)
  }

  /** What can be reserved is; only if nothing can be is that a refusal of the whole. */
  async reserve(files: readonly DirectoryEntry<InfraFile>[]): Promise<readonly Problem[]> {
    const problems: Problem[] = []
    let isAnyReserved = false
    for (const { file, content } of this.#join(files)) {
      if (!content.ok) {
        problems.push(...content.problems)
        continue
      }
      const { standalone } = await this.#memberFor(file, content.value.infra.metadata.name)
      const refusals = await standalone.reserve(content.value)
      problems.push(...refusals)
      isAnyReserved ||= refusals.length === 0
    }
    return isAnyReserved ? [] : problems
  }

  /** Serves what can be served. Only if nothing at all can is that a refusal of the whole. */
  async apply(files: readonly DirectoryEntry<InfraFile>[]): Promise<readonly Problem[]> {
    const entries = this.#join(files)
    this.#followRenamed(entries)
    await this.#stopMissing(entries)
    const strangers: Problem[] = []
    const wrong: Wrong[] = []
    for (const { file, content } of entries) {
      if (!content.ok) {
        const member = this.#members.get(file)
        member?.standalone.refuse(content.problems)
        if (!member) strangers.push(...content.problems)
        wrong.push(...content.problems.map((problem) => ({ problem, infra: member?.name })))
        continue
      }
      const { name } = content.value.infra.metadata
      const other = [...this.#members].find(([path, member]) => path !== file && member.name === name)
      if (other) {
        const problem: Problem = { reason: 'NameTaken', message: `${file}: Infra ${name} is in ${other[0]} already` }
        strangers.push(problem)
        wrong.push({ problem, infra: undefined })
        continue
      }
      const { standalone } = await this.#memberFor(file, name)
      wrong.push(...(await standalone.apply(content.value)).map((problem) => ({ problem, infra: name })))
    }
    this.#strangers = strangers
    const isAnyServed = this.reports().some((report) => report.serving)
    if (!isAnyServed) return wrong.map(({ problem }) => problem)
    this.#isPartly = wrong.length > 0
    this.#tellNew(wrong)
    return []
  }

  get isPartly(): boolean {
    return this.#isPartly
  }

  #tellNew(wrong: readonly Wrong[]): void {
    const earlier = this.#told
    this.#told = new Set(wrong.map((one) => JSON.stringify(one)))
    for (const one of wrong) if (!earlier.has(JSON.stringify(one))) this.#tell(one.problem, one.infra)
  }

  refuse(problems: readonly Problem[]): void {
    this.#strangers = problems
  }

  async retry(): Promise<readonly Problem[]> {
    const members = [...this.#members.values()]
    return (await Promise.all(members.map(({ standalone }) => standalone.retry()))).flat()
  }

  async inspect(): Promise<void> {
    await Promise.all([...this.#members.values()].map(({ standalone }) => standalone.inspect()))
  }

  reports(): readonly ComponentReport[] {
    return [...this.#members.values()].flatMap(({ name, standalone }) =>
      standalone.reports().map((report) => ({ ...report, name: `${name}/${report.name}` })),
    )
  }

  get problems(): readonly Problem[] {
    const ofMembers = [...this.#members.values()].flatMap(({ name, standalone }) =>
      standalone.problems.map((problem) => ({ ...problem, message: `Infra ${name}: ${problem.message}` })),
    )
    return [...this.#strangers, ...ofMembers]
  }

  boots(): readonly Boot[] {
    return [...this.#members.values()].flatMap(({ name, standalone }) =>
      standalone.boots().map((boot) => ({ ...boot, name: `${name}/${boot.name}` })),
    )
  }

  async release(graceMs: number): Promise<Released> {
    const released = await Promise.all([...this.#members.values()].map(({ standalone }) => standalone.release(graceMs)))
    return {
      left: released.flatMap(({ left }) => left),
      drained: Promise.all(released.map(({ drained }) => drained)).then(() => undefined),
      addresses: released.flatMap(({ addresses }) => addresses),
    }
  }

  async stop(graceMs: number): Promise<void> {
    await Promise.all([...this.#members.values()].map(({ standalone }) => standalone.stop(graceMs)))
    this.#members.clear()
  }

  /** Once for each version, as it warns. */
  #join(files: readonly DirectoryEntry<InfraFile>[]): readonly DirectoryEntry<AttachedInfra>[] {
    if (this.#joined?.files !== files) this.#joined = { files, entries: this.#files.join(files) }
    return this.#joined.entries
  }

  /** A file that bears another name now holds the same Infra; nobody's connections end for that. */
  #followRenamed(entries: readonly DirectoryEntry<AttachedInfra>[]): void {
    const files = new Set(entries.map(({ file }) => file))
    for (const { file, content } of entries) {
      if (!content.ok || this.#members.has(file)) continue
      const { name } = content.value.infra.metadata
      const moved = [...this.#members].find(([path, member]) => !files.has(path) && member.name === name)
      if (!moved) continue
      this.#members.delete(moved[0])
      this.#members.set(file, moved[1])
    }
  }

  async #stopMissing(entries: readonly DirectoryEntry<AttachedInfra>[]): Promise<void> {
    const files = new Set(entries.map(({ file }) => file))
    for (const [file, { standalone }] of this.#members) {
      if (files.has(file)) continue
      this.#members.delete(file)
      await standalone.stop(goneGraceMs)
    }
  }

  /** Another name in the same file is another Infra, with its own leases. */
  async #memberFor(file: string, name: string): Promise<Member> {
    const existing = this.#members.get(file)
    if (existing?.name === name) return existing
    await existing?.standalone.stop(goneGraceMs)
    const member = { name, standalone: this.#create(name) }
    this.#members.set(file, member)
    return member
  }
}

/** What is taken out of the directory gives its connections this long to end. */
const goneGraceMs = 5000
