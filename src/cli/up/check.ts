import { serverAddressesOf } from '../../api/network.ts'
import type { HostPreparation } from '../../controllers/standalone/host.ts'
import { readInfras } from '../../controllers/standalone/read-infras.ts'
import type { AttachedInfra } from '../../core/plan/attached.ts'
import type { Problem } from '../../core/result.ts'
import { reportProblems, reportWarning, type Terminal } from '../terminal.ts'

interface CheckedOptions {
  readonly file: string
  readonly isDirectory: boolean
  readonly podAddress: readonly string[]
}

/** `oooi up --check`: everything that can be known without serving, about the manifests and about this host. */
export async function checkUp(
  terminal: Terminal,
  { file: path, isDirectory, podAddress }: CheckedOptions,
  host: HostPreparation,
): Promise<void> {
  const read = await readInfras(path, isDirectory, (warning) => reportWarning(terminal, warning), podAddress)
  if (!read.ok) return reportProblems(terminal, read.problems)
  const problems: Problem[] = []
  for (const { file, content } of read.value) {
    const wrong = content.ok ? host.check(content.value.infra) : content.problems
    problems.push(...wrong)
    if (content.ok && wrong.length === 0) terminal.stdout.write(`${file}: Infra ${describe(content.value)}\n`)
  }
  reportProblems(terminal, problems)
}

function describe({ infra: { metadata, spec }, attachments }: AttachedInfra): string {
  const parts = Object.entries(spec.infraComponents).flatMap(([name, component]) =>
    component?.enabled ? [`${name} at ${serverAddressesOf(component).join(', ')}`] : [],
  )
  const clusters =
    attachments.length === 0 ? [] : [`clusters ${attachments.map((attachment) => attachment.metadata.name).join(', ')}`]
  return `${metadata.name} can be served: ${[...parts, ...clusters].join('; ')}`
}
