import type { Manifest } from '../../api/manifest.ts'
import {
  type AttachedInfra,
  attachedTo,
  attachedToNobody,
  bindAttached,
  type Remark,
} from '../../core/plan/attached.ts'
import { clashesOnHost, type InfraInFile } from '../../core/plan/one-host.ts'
import { failed, ok, type Problem, type Result } from '../../core/result.ts'
import { translate } from '../../core/translate/translate.ts'
import type { DirectoryEntry } from '../../runtime/source/directory.ts'
import { kubernetesOnly, needsHostedCluster } from './hosted-only.ts'
import { type InfraFile, readInfraFile, type Warn } from './infrafile.ts'

type Locate = Manifest['locate']

/**
 * Brings each Infra together with the clusters that are attached to it in any of the files: those beside it first, then
 * in the order of the files. A file that cannot be read any more lends what it last held to the others, so that a slip of
 * the pen takes no cluster off its VLAN.
 */
export class AttachedFiles {
  readonly #warn: Warn
  readonly #podAddresses: readonly string[]
  #earlier: ReadonlyMap<string, InfraFile> = new Map()

  constructor(warn: Warn, podAddresses: readonly string[] = []) {
    this.#warn = warn
    this.#podAddresses = podAddresses
  }

  /** An entry for each Infra, and for each file with a mistake. */
  join(entries: readonly DirectoryEntry<InfraFile>[]): DirectoryEntry<AttachedInfra>[] {
    const known = new Map(
      entries.flatMap(({ file, content }): [string, InfraFile][] => {
        const held = content.ok ? content.value : this.#earlier.get(file)
        return held ? [[file, held]] : []
      }),
    )
    const infrasOf = (held: ReadonlyMap<string, InfraFile>): InfraInFile[] =>
      [...held].flatMap(([file, { infra }]) => (infra ? [{ file, infra }] : []))
    // Whoever was there before keeps what a newcomer wants too.
    const before = new Set(infrasOf(this.#earlier).map(({ file }) => file))
    const inOrder = infrasOf(known).toSorted((a, b) => Number(before.has(b.file)) - Number(before.has(a.file)))
    this.#earlier = known
    const files = [...known.values()]
    // The Infra may be in the file that cannot be read, and that is said.
    const isAllKnown = files.length === entries.length
    const infras = files.flatMap(({ infra }) => infra?.metadata.name ?? [])
    const locate: Locate = (object, problems) =>
      files.reduce((found, file) => file.locate(object, found), [...problems])
    return entries.flatMap(({ file, content }): DirectoryEntry<AttachedInfra>[] => {
      if (!content.ok) return [{ file, content }]
      const { infra, attachments } = content.value
      const homeless = isAllKnown ? attachedToNobody(attachments, infras) : []
      if (homeless.length > 0) return [{ file, content: failed(...located(homeless, locate)) }]
      if (!infra) return []
      const place = inOrder.findIndex((other) => other.file === file)
      const clashes = clashesOnHost(infra, inOrder.slice(0, place), this.#podAddresses)
      if (clashes.length > 0) return [{ file, content: failed(...locate(infra, clashes)) }]
      const others = files.filter((other) => other !== content.value).flatMap((other) => other.attachments)
      return [{ file, content: this.#servable(attachedTo(infra, [...attachments, ...others]), locate) }]
    })
  }

  #servable(attached: AttachedInfra, locate: Locate): Result<AttachedInfra> {
    const { bindings, mistakes, warnings } = bindAttached(attached)
    const refused = [...mistakes, ...needsHostedCluster(attached)]
    if (refused.length > 0) return failed(...located(refused, locate))
    const translated = translate(attached.infra, { bindings })
    if (!translated.ok) return failed(...locate(attached.infra, translated.problems))
    for (const { message, field = '', at } of located([...warnings, ...kubernetesOnly(attached)], locate)) {
      if (at) this.#warn({ message, field, at })
    }
    return ok(attached)
  }
}

/** For one file that is all there is. Reads it and makes sure it can be served, while the lines are still known. */
export function readAttachedInfra(text: string, file: string, warn: Warn): Result<AttachedInfra> {
  const [entry] = new AttachedFiles(warn).join([{ file, content: readInfraFile(text, file, warn) }])
  return entry?.content ?? failed()
}

function located(remarks: readonly Remark[], locate: Locate): Problem[] {
  return remarks.flatMap(({ about, ...problem }) => locate(about, [problem]))
}
