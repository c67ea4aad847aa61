import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { HostPreparation } from '../../controllers/standalone/host.ts'
import { readInfras } from '../../controllers/standalone/read-infras.ts'
import { placesOf } from '../../core/places/component-places.ts'
import { socketUnits, type UnitFile } from '../../core/places/socket-units.ts'
import { type AttachedInfra, bindAttached } from '../../core/plan/attached.ts'
import type { Problem } from '../../core/result.ts'
import { translate } from '../../core/translate/translate.ts'
import { reportProblems, reportWarning, type Terminal } from '../terminal.ts'

interface SocketUnitsOptions {
  readonly file: string
  readonly podAddress: readonly string[]
  /** A directory to write them to; by default they are printed. */
  readonly socketUnits: string | true
}

/** `oooi up --socket-units`: systemd's side of what would be served. */
export async function writeSocketUnits(
  terminal: Terminal,
  { file, podAddress, socketUnits: target }: SocketUnitsOptions,
  isDirectory: boolean,
  host: HostPreparation,
): Promise<void> {
  const read = await readInfras(file, isDirectory, (warning) => reportWarning(terminal, warning), podAddress)
  if (!read.ok) return reportProblems(terminal, read.problems)
  const problems: Problem[] = []
  const infras = read.value.flatMap(({ content }) => {
    const components = content.ok ? componentsOf(content.value, podAddress) : content
    if (!content.ok || !components.ok) {
      problems.push(...(components.ok ? [] : components.problems))
      return []
    }
    const { infra } = content.value
    const places = placesOf(components.value, podAddress)
    return [{ name: infra.metadata.name, places, interfaceName: host.interfaceOf(infra) }]
  })
  if (problems.length > 0) return reportProblems(terminal, problems)
  const files = socketUnits(infras)
  if (target === true) terminal.stdout.write(files.map(printed).join('\n'))
  else await writeAll(terminal, target, files)
}

function componentsOf(attached: AttachedInfra, podAddress: readonly string[]) {
  const { bindings = [] } = bindAttached(attached)
  return translate(attached.infra, {
    mode: 'file',
    bindings: bindings.length > 0 ? bindings : undefined,
    internalProxyAddress: podAddress[0],
  })
}

function printed({ path, text }: UnitFile): string {
  return `# /etc/systemd/system/${path}\n${text}`
}

async function writeAll(terminal: Terminal, directory: string, files: readonly UnitFile[]): Promise<void> {
  try {
    for (const { path, text } of files) {
      await mkdir(dirname(join(directory, path)), { recursive: true })
      await writeFile(join(directory, path), text)
      terminal.stdout.write(`${join(directory, path)}\n`)
    }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    const message = `cannot write the units to ${directory}: ${text}`
    reportProblems(terminal, [{ reason: 'FileUnwritable', message }])
  }
}
