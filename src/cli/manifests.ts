import { toYaml } from '../api/yaml.ts'
import { ok, type Result } from '../core/result.ts'
import { readManifestFile } from '../runtime/source/manifest-text.ts'
import type { Terminal } from './terminal.ts'

/** What a file holds; `-` is standard input. */
export async function readInput(terminal: Terminal, file: string): Promise<Result<string>> {
  if (file !== '-') return readManifestFile(file)
  const chunks: Buffer[] = []
  for await (const chunk of terminal.stdin) chunks.push(Buffer.from(chunk))
  return ok(Buffer.concat(chunks).toString('utf8'))
}

/** As kubectl takes them: several YAML documents, or one List as JSON. */
export function printObjects(terminal: Terminal, items: readonly object[], output: 'yaml' | 'json'): void {
  const list = { apiVersion: 'v1', kind: 'List', items }
  terminal.stdout.write(output === 'json' ? `${JSON.stringify(list, null, 2)}\n` : toYaml(items))
}
