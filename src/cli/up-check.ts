import type { Infra } from '../api/infra.ts'
import { serverAddressesOf } from '../api/network.ts'
import type { HostPreparation } from '../controllers/standalone/host.ts'
import { readInfraFile } from '../controllers/standalone/infrafile.ts'
import type { Problem, Result } from '../core/result.ts'
import type { Logger } from '../runtime/observe/log.ts'
import { readDirectory } from '../runtime/source/directory.ts'
import { readManifestFile } from '../runtime/source/file.ts'
import { reportProblems, type Terminal } from './terminal.ts'

/** `oooi up --check`: everything that can be known without serving, about the manifests and about this host. */
export async function checkUp(
  terminal: Terminal,
  path: string,
  isDirectory: boolean,
  host: HostPreparation,
  log: Logger,
): Promise<void> {
  const found = isDirectory ? await readDirectory(path) : undefined
  if (found && !found.ok) return reportProblems(terminal, found.problems)
  const files = found?.value ?? [{ file: path, text: await readManifestFile(path) }]
  const problems: Problem[] = []
  for (const { file, text } of files) {
    const infra: Result<Infra> = text.ok ? readInfraFile(text.value, file, log) : text
    const wrong = infra.ok ? host.check(infra.value) : infra.problems
    problems.push(...wrong)
    if (infra.ok && wrong.length === 0) terminal.stdout.write(`${file}: Infra ${describe(infra.value)}\n`)
  }
  reportProblems(terminal, problems)
}

function describe({ metadata, spec }: Infra): string {
  const parts = Object.entries(spec.infraComponents).flatMap(([name, component]) =>
    component?.enabled ? [`${name} at ${serverAddressesOf(component).join(', ')}`] : [],
  )
  return `${metadata.name} can be served: ${parts.join('; ')}`
}
