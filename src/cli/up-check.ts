import { serverAddressesOf } from '../api/network.ts'
import { AttachedFiles } from '../controllers/standalone/attached-files.ts'
import type { HostPreparation } from '../controllers/standalone/host.ts'
import { readInfraFile, type Warn } from '../controllers/standalone/infrafile.ts'
import type { AttachedInfra } from '../core/plan/attached.ts'
import type { Problem } from '../core/result.ts'
import { readDirectory } from '../runtime/source/directory.ts'
import { readManifestFile } from '../runtime/source/manifest-text.ts'
import { reportProblems, reportWarning, type Terminal } from './terminal.ts'

/** `oooi up --check`: everything that can be known without serving, about the manifests and about this host. */
export async function checkUp(
  terminal: Terminal,
  path: string,
  isDirectory: boolean,
  host: HostPreparation,
): Promise<void> {
  const found = isDirectory ? await readDirectory(path) : undefined
  if (found && !found.ok) return reportProblems(terminal, found.problems)
  const files = found?.value ?? [{ file: path, text: await readManifestFile(path) }]
  const problems: Problem[] = []
  const warn: Warn = (warning) => reportWarning(terminal, warning)
  const entries = files.map(({ file, text }) => ({
    file,
    content: text.ok ? readInfraFile(text.value, file, warn) : text,
  }))
  for (const { file, content } of new AttachedFiles(warn).join(entries)) {
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
