import type { AttachedInfra } from '../../core/plan/attached.ts'
import { ok, type Result } from '../../core/result.ts'
import { type DirectoryEntry, readDirectory } from '../../runtime/source/directory.ts'
import { readManifestFile } from '../../runtime/source/manifest-text.ts'
import { AttachedFiles } from './attached-files.ts'
import { readInfraFile, type Warn } from './infrafile.ts'

/** The Infras of a file or a directory as they are at this moment, for those who do not serve them. */
export async function readInfras(
  path: string,
  isDirectory: boolean,
  warn: Warn,
  podAddresses: readonly string[],
): Promise<Result<readonly DirectoryEntry<AttachedInfra>[]>> {
  const found = isDirectory ? await readDirectory(path) : ok([{ file: path, text: await readManifestFile(path) }])
  if (!found.ok) return found
  const entries = found.value.map(({ file, text }) => ({
    file,
    content: text.ok ? readInfraFile(text.value, file, warn) : text,
  }))
  return ok(new AttachedFiles(warn, podAddresses).join(entries))
}
